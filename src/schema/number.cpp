#include <charconv>
#include <cmath>

#include "schema/scalar.h"

namespace spindle::schema {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string shown(std::int64_t value) { return std::to_string(value); }
std::string shown(double value) {
  std::string text = json::shortestNumber(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}
std::string asJson(std::int64_t value) { return std::to_string(value); }
std::string asJson(double value) { return json::shortestNumber(value); }

template <class Number>
RuleError outOfBounds(std::string_view type,
                      std::string_view words,
                      std::string_view name,
                      Number bound) {
  return {std::string(type), "Input should be " + std::string(words) + " " + shown(bound),
          "{\"" + std::string(name) + "\":" + asJson(bound) + "}"};
}

template <class Rules, class Number>
std::optional<RuleError> checkBounds(const Rules& rules, Number value) {
  if (rules.ge && value < *rules.ge) {
    return outOfBounds("greater_than_equal", "greater than or equal to", "ge", *rules.ge);
  }
  if (rules.gt && value <= *rules.gt) {
    return outOfBounds("greater_than", "greater than", "gt", *rules.gt);
  }
  if (rules.le && value > *rules.le) {
    return outOfBounds("less_than_equal", "less than or equal to", "le", *rules.le);
  }
  if (rules.lt && value >= *rules.lt) {
    return outOfBounds("less_than", "less than", "lt", *rules.lt);
  }
  return std::nullopt;
}

template <class Rules>
void describeBounds(json::Writer& out, const Rules& rules) {
  if (rules.ge) out.key("minimum").raw(asJson(*rules.ge));
  if (rules.gt) out.key("exclusiveMinimum").raw(asJson(*rules.gt));
  if (rules.le) out.key("maximum").raw(asJson(*rules.le));
  if (rules.lt) out.key("exclusiveMaximum").raw(asJson(*rules.lt));
}

RuleError intType() { return {"int_type", "Input should be a valid integer", {}}; }
RuleError intParsing() {
  return {
      "int_parsing", "Input should be a valid integer, unable to parse string as an integer", {}};
}
RuleError intFromFloat() {
  return {
      "int_from_float", "Input should be a valid integer, got a number with a fractional part", {}};
}

RuleError floatType() { return {"float_type", "Input should be a valid number", {}}; }
RuleError floatParsing() {
  return {
      "float_parsing", "Input should be a valid number, unable to parse string as a number", {}};
}

class IntegerType final : public Type {
 public:
  explicit IntegerType(const IntegerRules& rules) : rules_(rules) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    std::int64_t value = 0;
    std::optional<RuleError> error = convert(input, report.strict(), value);
    if (!error) error = checkBounds(rules_, value);
    *static_cast<std::int64_t*>(out) = value;
    return report.passes(path, std::move(error), input);
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.integer(*static_cast<const std::int64_t*>(value));
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    writeType(out, "integer", "int64");
    describeBounds(out, rules_);
  }

 private:
  using Limits = std::numeric_limits<std::int64_t>;

  /// Returns the error for an integer outside 64 bits: the bound of the field, else of the type.
  std::optional<RuleError> overflowError(bool negative) const {
    std::optional<RuleError> own = checkBounds(rules_, negative ? Limits::min() : Limits::max());
    if (own) return own;
    if (negative) {
      return outOfBounds("greater_than_equal", "greater than or equal to", "ge", Limits::min());
    }
    return outOfBounds("less_than_equal", "less than or equal to", "le", Limits::max());
  }

  std::optional<RuleError> convert(const json::Node& input, bool strict, std::int64_t& out) const {
    if (input.kind() == json::Kind::kInteger) {
      const std::optional<std::int64_t> value = input.integer();
      if (!value) return overflowError(input.raw()[0] == '-');
      out = *value;
      return std::nullopt;
    }
    if (strict) return intType();
    if (input.kind() == json::Kind::kDecimal) return fromDecimal(input.number(), out);
    if (input.isBool()) {
      out = input.boolean() ? 1 : 0;
      return std::nullopt;
    }
    if (input.isString()) return fromText(input.text(), out);
    return intType();
  }

  std::optional<RuleError> fromDecimal(double value, std::int64_t& out) const {
    if (std::isfinite(value) && value != std::floor(value)) return intFromFloat();
    if (value >= 9.2233720368547758e18 || value < -9.2233720368547758e18)
      return overflowError(value < 0);
    out = static_cast<std::int64_t>(value);
    return std::nullopt;
  }

  /// Accepts a sign, surrounding spaces, single underscores between digits and a fraction of zeros.
  std::optional<RuleError> fromText(const std::string& raw, std::int64_t& out) const {
    std::string_view text = trimmed(raw);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    if (point != std::string_view::npos) {
      if (text.find_first_not_of('0', point + 1) != std::string_view::npos) return intParsing();
      text = text.substr(0, point);
    }
    std::string digits = negative ? "-" : "";
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool separator = text[i] == '_' && i > 0 && i + 1 < text.size() && text[i - 1] != '_';
      if (separator) continue;
      if (text[i] < '0' || text[i] > '9') return intParsing();
      digits += text[i];
    }
    if (text.empty()) return intParsing();
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (failed == std::errc::result_out_of_range) return overflowError(negative);
    return std::nullopt;
  }

  IntegerRules rules_;
};

class NumberType final : public Type {
 public:
  explicit NumberType(const NumberRules& rules) : rules_(rules) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    double value = 0;
    std::optional<RuleError> error = convert(input, report.strict(), value);
    if (!error) error = checkBounds(rules_, value);
    if (!error && !std::isfinite(value)) {
      error = RuleError{"finite_number", "Input should be a finite number", {}};
    }
    *static_cast<double*>(out) = value;
    return report.passes(path, std::move(error), input);
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.number(*static_cast<const double*>(value));
  }
  void describe(json::Writer& out, Components& /*components*/) const override {
    writeType(out, "number");
    describeBounds(out, rules_);
  }

 private:
  static std::optional<RuleError> convert(const json::Node& input, bool strict, double& out) {
    if (input.isNumber()) {
      out = input.number();
      return std::nullopt;
    }
    if (strict) return floatType();
    if (input.isBool()) {
      out = input.boolean() ? 1.0 : 0.0;
      return std::nullopt;
    }
    if (!input.isString()) return floatType();
    const std::string raw = input.text();
    std::string_view text = trimmed(raw);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (failed == std::errc::invalid_argument || end != text.data() + text.size()) {
      return floatParsing();
    }
    if (failed == std::errc::result_out_of_range) out = std::numeric_limits<double>::infinity();
    return std::nullopt;
  }

  NumberRules rules_;
};

}  // namespace

Codec<std::int64_t> integer(const IntegerRules& rules) {
  return Codec<std::int64_t>(std::make_shared<IntegerType>(rules));
}
Codec<double> number(const NumberRules& rules) {
  return Codec<double>(std::make_shared<NumberType>(rules));
}

}  // namespace spindle::schema
