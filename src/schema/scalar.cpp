#include "schema/scalar.h"

#include <cmath>

#include <re2/re2.h>

#include "base/core/ascii.h"
#include "base/core/check.h"
#include "base/core/utf8.h"
#include "json/escape.h"
#include "schema/uuid_text.h"

namespace spindle::schema {
namespace {

std::string countedContext(std::string_view name, std::size_t count) {
  return "{\"" + std::string(name) + "\":" + std::to_string(count) + "}";
}

std::string errorContext(std::string_view error) {
  return "{\"error\":" + json::quoted(error) + "}";
}

/// 'a', 'b' or 'c'
std::string listOfChoices(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? " or " : ", ";
    text += "'" + values[i] + "'";
  }
  return text;
}

RuleError badChoice(std::string_view type, const std::string& expected) {
  return {std::string(type), "Input should be " + expected,
          "{\"expected\":" + json::quoted(expected) + "}"};
}

void describeChoices(json::Writer& out, const std::vector<std::string>& values) {
  writeType(out, "string");
  out.key("enum").beginArray();
  for (const std::string& value : values) out.string(value);
  out.endArray();
}

class StringType final : public Type {
 public:
  explicit StringType(const StringRules& rules)
      : min_length_(rules.min_length), max_length_(rules.max_length), format_(rules.format) {
    if (rules.pattern.empty()) return;
    pattern_ = std::make_unique<RE2>(std::string(rules.pattern), RE2::Quiet);
    SPINDLE_ASSERT(pattern_->ok(), "a schema has a pattern that is not a regular expression");
  }

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!input.isString()) {
      report.add(path, "string_type", "Input should be a valid string", input);
      return false;
    }
    std::string& text = *static_cast<std::string*>(out);
    text = input.text();
    return report.passes(path, check(text), input);
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.string(*static_cast<const std::string*>(value));
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    writeType(out, "string", format_);
    if (min_length_ > 0) out.key("minLength").integer(static_cast<std::int64_t>(min_length_));
    if (max_length_ != kUnbounded) {
      out.key("maxLength").integer(static_cast<std::int64_t>(max_length_));
    }
    if (pattern_) out.key("pattern").string(pattern_->pattern());
  }

 private:
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  std::optional<RuleError> check(const std::string& text) const {
    if (text.find('\0') != std::string::npos) return valueError("NUL characters are not allowed");
    const bool bounded = min_length_ > 0 || max_length_ != kUnbounded;
    const std::size_t length = bounded ? charactersIn(text) : 0;
    const auto characters = [](std::size_t n) {
      return std::to_string(n) + (n == 1 ? " character" : " characters");
    };
    if (length < min_length_) {
      return RuleError{"string_too_short", "String should have at least " + characters(min_length_),
                       countedContext("min_length", min_length_)};
    }
    if (length > max_length_) {
      return RuleError{"string_too_long", "String should have at most " + characters(max_length_),
                       countedContext("max_length", max_length_)};
    }
    if (pattern_ && !RE2::PartialMatch(text, *pattern_)) {
      return RuleError{"string_pattern_mismatch",
                       "String should match pattern '" + pattern_->pattern() + "'",
                       "{\"pattern\":" + json::quoted(pattern_->pattern()) + "}"};
    }
    return std::nullopt;
  }

  std::size_t min_length_;
  std::size_t max_length_;
  std::string format_;
  std::unique_ptr<RE2> pattern_;
};

class BooleanType final : public Type {
 public:
  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    bool& value = *static_cast<bool*>(out);
    if (input.isBool()) {
      value = input.boolean();
      return true;
    }
    const bool scalar = input.isString() || input.kind() == json::Kind::kInteger ||
                        (input.isNumber() && input.number() == std::floor(input.number()));
    if (report.strict() || !scalar) {
      report.add(path, "bool_type", "Input should be a valid boolean", input);
      return false;
    }
    const std::optional<bool> meant =
        input.isString() ? fromWord(input.text()) : fromNumber(input.number());
    if (!meant) {
      report.add(path, "bool_parsing", "Input should be a valid boolean, unable to interpret input",
                 input);
      return false;
    }
    value = *meant;
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.boolean(*static_cast<const bool*>(value));
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    writeType(out, "boolean");
  }

 private:
  static std::optional<bool> fromNumber(double number) {
    if (number == 1.0) return true;
    if (number == 0.0) return false;
    return std::nullopt;
  }
  static std::optional<bool> fromWord(std::string_view text) {
    const std::string word = lowerCase(text);
    for (const std::string_view yes : {"true", "t", "yes", "y", "on", "1"}) {
      if (word == yes) return true;
    }
    for (const std::string_view no : {"false", "f", "no", "n", "off", "0"}) {
      if (word == no) return false;
    }
    return std::nullopt;
  }
};

class DateTimeType final : public Type {
 public:
  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    std::optional<Timestamp> time;
    if (input.isString()) {
      const ParsedTimestamp parsed = parseTimestamp(input.text());
      time = parsed.value;
      if (!parsed) {
        report.add(
            path,
            {"datetime_from_date_parsing",
             "Input should be a valid datetime or date, " + std::string(parsed.error.message),
             errorContext(parsed.error.message)},
            input.raw());
        return false;
      }
    } else if (input.isNumber() && !report.strict()) {
      time = timestampFromUnix(input.number());
      if (!time) {
        const std::string why = input.number() < 0
                                    ? "dates before 0000 are not supported as unix timestamps"
                                    : "dates after 9999 are not supported as unix timestamps";
        report.add(
            path,
            {"datetime_parsing", "Input should be a valid datetime, " + why, errorContext(why)},
            input.raw());
        return false;
      }
    } else {
      report.add(path, "datetime_type", "Input should be a valid datetime", input);
      return false;
    }
    *static_cast<Timestamp*>(out) = *time;
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.string(formatTimestamp(*static_cast<const Timestamp*>(value)));
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    writeType(out, "string", "date-time");
  }
};

class UuidType final : public Type {
 public:
  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!input.isString()) {
      report.add(path, "uuid_type", "UUID input should be a string, bytes or UUID object", input);
      return false;
    }
    UuidText parsed = parseUuid(input.text());
    if (!parsed.error.empty()) {
      report.add(path,
                 {"uuid_parsing", "Input should be a valid UUID, " + parsed.error,
                  errorContext(parsed.error)},
                 input.raw());
      return false;
    }
    *static_cast<std::string*>(out) = std::move(parsed.canonical);
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.string(*static_cast<const std::string*>(value));
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    writeType(out, "string", "uuid");
  }
};

class LiteralType final : public Type {
 public:
  explicit LiteralType(std::vector<std::string> values)
      : values_(std::move(values)), expected_(listOfChoices(values_)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (input.isString()) {
      for (const std::string& value : values_) {
        if (!input.textEquals(value)) continue;
        *static_cast<std::string*>(out) = value;
        return true;
      }
    }
    report.add(path, badChoice("literal_error", expected_), input.raw());
    return false;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.string(*static_cast<const std::string*>(value));
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    describeChoices(out, values_);
  }

 private:
  std::vector<std::string> values_;
  std::string expected_;
};

class EnumType final : public Type {
 public:
  EnumType(detail::EnumNames names,
           void (*store)(void*, std::int64_t),
           std::int64_t (*load)(const void*))
      : names_(std::move(names)), store_(store), load_(load) {
    for (const auto& [name, value] : names_) texts_.push_back(name);
    expected_ = listOfChoices(texts_);
  }

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (input.isString()) {
      for (const auto& [name, value] : names_) {
        if (!input.textEquals(name)) continue;
        store_(out, value);
        return true;
      }
    }
    report.add(path, badChoice("enum", expected_), input.raw());
    return false;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    const std::int64_t number = load_(value);
    for (const auto& [name, candidate] : names_) {
      if (candidate != number) continue;
      out.string(name);
      return;
    }
    SPINDLE_ASSERT(false, "an enumeration value has no name");
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    describeChoices(out, texts_);
  }

 private:
  detail::EnumNames names_;
  void (*store_)(void*, std::int64_t);
  std::int64_t (*load_)(const void*);
  std::vector<std::string> texts_;
  std::string expected_;
};

class JsonType final : public Type {
 public:
  explicit JsonType(bool only_objects) : only_objects_(only_objects) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (only_objects_ && !input.isObject()) {
      report.add(path, "dict_type", "Input should be a valid dictionary", input);
      return false;
    }
    static_cast<json::Text*>(out)->json = input.raw();
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.raw(static_cast<const json::Text*>(value)->json);
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    if (!only_objects_) return;
    writeType(out, "object");
    out.key("additionalProperties").boolean(true);
  }

 private:
  bool only_objects_;
};

}  // namespace

Codec<std::string> string(const StringRules& rules) {
  return Codec<std::string>(std::make_shared<StringType>(rules));
}
Codec<bool> boolean() { return Codec<bool>(std::make_shared<BooleanType>()); }
Codec<Timestamp> dateTime() { return Codec<Timestamp>(std::make_shared<DateTimeType>()); }
Codec<std::string> uuid() { return Codec<std::string>(std::make_shared<UuidType>()); }
Codec<std::string> literal(std::vector<std::string> values) {
  return Codec<std::string>(std::make_shared<LiteralType>(std::move(values)));
}
Codec<json::Text> anyJson() { return Codec<json::Text>(std::make_shared<JsonType>(false)); }
Codec<json::Text> jsonObject() { return Codec<json::Text>(std::make_shared<JsonType>(true)); }

TypePtr detail::enumType(EnumNames names,
                         void (*store)(void*, std::int64_t),
                         std::int64_t (*load)(const void*)) {
  return std::make_shared<EnumType>(std::move(names), store, load);
}

}  // namespace spindle::schema
