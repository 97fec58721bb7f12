#include "schema/compound.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "base/core/check.h"
#include "json/escape.h"
#include "schema/wrapper_type.h"

namespace spindle::schema::detail {
namespace {

constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

std::string items(std::size_t n) { return std::to_string(n) + (n == 1 ? " item" : " items"); }

RuleError sizeError(bool too_short, std::string_view what, std::size_t bound, std::size_t actual) {
  const std::string name(what);
  return {too_short ? "too_short" : "too_long",
          name + " should have at " + (too_short ? "least " : "most ") + items(bound) +
              " after validation, not " + std::to_string(actual),
          "{\"field_type\":\"" + name + (too_short ? "\",\"min_length\":" : "\",\"max_length\":") +
              std::to_string(bound) + ",\"actual_length\":" + std::to_string(actual) + "}"};
}

/// Reports an input with too few or too many items. @return false for such an input.
bool checkSize(const SizeRules& rules,
               std::string_view what,
               const json::Node& input,
               const Path& path,
               Report& report) {
  const std::size_t size = input.size();
  const bool too_short = size < rules.min_items;
  if (!too_short && size <= rules.max_items) return true;
  report.add(path, sizeError(too_short, what, too_short ? rules.min_items : rules.max_items, size),
             input.raw());
  return false;
}

/// Writes the JSON Schema members that bound the number of items, under these names.
void describeSize(json::Writer& out,
                  const SizeRules& rules,
                  std::string_view least,
                  std::string_view most) {
  if (rules.min_items > 0) out.key(least).integer(static_cast<std::int64_t>(rules.min_items));
  if (rules.max_items != kUnbounded) {
    out.key(most).integer(static_cast<std::int64_t>(rules.max_items));
  }
}

/// Writes an array of the schemas of the parts.
void writeSchemas(json::Writer& out, Components& components, const std::vector<Part>& parts) {
  out.beginArray();
  for (const Part& part : parts) part.type->writeSchema(out, components);
  out.endArray();
}

class ListType final : public Type {
 public:
  ListType(TypePtr item, SizeRules rules, VectorOps ops)
      : item_(std::move(item)), rules_(rules), ops_(ops) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!input.isArray()) {
      report.add(path, "list_type", "Input should be a valid list", input);
      return false;
    }
    // A list that is too long is rejected before its items are read: the bound limits the work.
    if (!checkSize(rules_, "List", input, path, report)) return false;
    bool good = true;
    std::int64_t position = 0;
    for (const json::Node item : input) {
      const Path here(position++, &path);
      good = item_->read(item, here, ops_.append(out), report) && good;
      if (report.full()) return false;
    }
    return good;
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    out.beginArray();
    const std::size_t size = ops_.size(value);
    for (std::size_t i = 0; i < size; ++i) item_->write(ops_.at(value, i), out, spelling);
    out.endArray();
  }
  void describe(json::Writer& out, Components& components) const override {
    writeType(out, "array");
    item_->writeSchema(out.key("items"), components);
    describeSize(out, rules_, "minItems", "maxItems");
  }
  bool isList() const override { return true; }

 private:
  TypePtr item_;
  SizeRules rules_;
  VectorOps ops_;
};

/// Returns the members in the order in which their names first occur, each with its last value.
std::vector<std::pair<std::string, json::Node>> lastOfEachName(const json::Node& object) {
  std::vector<std::pair<std::string, json::Node>> members;
  std::unordered_map<std::string, std::size_t> positions;
  for (auto at = object.begin(); at != object.end(); ++at) {
    std::string name = (*at).text();
    ++at;
    const auto [found, fresh] = positions.emplace(name, members.size());
    if (fresh) {
      members.emplace_back(std::move(name), *at);
    } else {
      members[found->second].second = *at;
    }
  }
  return members;
}

class MapType final : public Type {
 public:
  MapType(TypePtr value, SizeRules rules, MapOps ops)
      : value_(std::move(value)), rules_(rules), ops_(ops) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!input.isObject()) {
      report.add(path, "dict_type", "Input should be a valid dictionary", input);
      return false;
    }
    if (!checkSize(rules_, "Dictionary", input, path, report)) return false;
    bool good = true;
    for (const auto& [name, value] : lastOfEachName(input)) {
      const Path here(name, &path);
      good = value_->read(value, here, ops_.append(out, name), report) && good;
      if (report.full()) return false;
    }
    return good;
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    out.beginObject();
    const std::size_t size = ops_.size(value);
    for (std::size_t i = 0; i < size; ++i) {
      out.key(ops_.name(value, i));
      value_->write(ops_.value(value, i), out, spelling);
    }
    out.endObject();
  }
  void describe(json::Writer& out, Components& components) const override {
    writeType(out, "object");
    value_->writeSchema(out.key("additionalProperties"), components);
    describeSize(out, rules_, "minProperties", "maxProperties");
  }

 private:
  TypePtr value_;
  SizeRules rules_;
  MapOps ops_;
};

class NullableType final : public Type {
 public:
  NullableType(TypePtr inner, OptionalOps ops) : inner_(std::move(inner)), ops_(ops) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (input.isNull()) {
      ops_.reset(out);
      return true;
    }
    return inner_->read(input, path, ops_.emplace(out), report);
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    const void* inner = ops_.get(value);
    if (inner == nullptr) {
      out.null();
    } else {
      inner_->write(inner, out, spelling);
    }
  }
  void describe(json::Writer& out, Components& components) const override {
    inner_->writeSchema(out.key("anyOf").beginArray(), components);
    writeType(out.beginObject(), "null");
    out.endObject().endArray();
  }
  const Type& withoutNull() const override { return *inner_; }
  bool isList() const override { return inner_->isList(); }
  bool isNull(const void* value) const override { return ops_.get(value) == nullptr; }

 private:
  TypePtr inner_;
  OptionalOps ops_;
};

class KeyedType final : public Type {
 public:
  KeyedType(TypePtr map, TypePtr key, std::shared_ptr<void> (*place)())
      : map_(std::move(map)), key_(std::move(key)), place_(place) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!map_->read(input, path, out, report)) return false;
    bool good = true;
    for (auto at = input.begin(); at != input.end(); ++at) {
      const json::Node name = *at;
      ++at;
      const std::string text = name.text();
      const Path member(text, &path);
      good = key_->read(name, Path("[key]", &member), place_().get(), report) && good;
    }
    return good;
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    map_->write(value, out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    map_->describe(out, components);
    key_->writeSchema(out.key("propertyNames"), components);
  }

 private:
  TypePtr map_;
  TypePtr key_;
  std::shared_ptr<void> (*place_)();
};

class PresentType final : public Type {
 public:
  PresentType(TypePtr inner, OptionalOps ops) : inner_(std::move(inner)), ops_(ops) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    return inner_->read(input, path, ops_.emplace(out), report);
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    inner_->write(ops_.get(value), out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    inner_->describe(out, components);
  }
  bool isList() const override { return inner_->isList(); }
  bool isAbsent(const void* value) const override { return ops_.get(value) == nullptr; }

 private:
  TypePtr inner_;
  OptionalOps ops_;
};

class TupleType final : public Type {
 public:
  explicit TupleType(std::vector<Part> parts) : parts_(std::move(parts)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!input.isArray()) {
      report.add(path, "tuple_type", "Input should be a valid tuple", input);
      return false;
    }
    if (input.size() > parts_.size()) {
      report.add(path, sizeError(false, "Tuple", parts_.size(), input.size()), input.raw());
      return false;
    }
    bool good = true;
    auto at = input.begin();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Path here(static_cast<std::int64_t>(i), &path);
      if (i >= input.size()) {
        report.add(here, "missing", "Field required", input);
        good = false;
        continue;
      }
      good = parts_[i].type->read(*at, here, parts_[i].emplace(out), report) && good;
      ++at;
    }
    return good;
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    out.beginArray();
    for (const Part& part : parts_) part.type->write(part.get(value), out, spelling);
    out.endArray();
  }
  void describe(json::Writer& out, Components& components) const override {
    writeType(out, "array");
    writeSchemas(out.key("prefixItems"), components, parts_);
    const auto size = static_cast<std::int64_t>(parts_.size());
    out.key("minItems").integer(size).key("maxItems").integer(size);
  }

 private:
  std::vector<Part> parts_;
};

/// Base class of both kinds of union: writes the alternative that the variant holds.
class AlternativesType : public Type {
 public:
  explicit AlternativesType(std::vector<Part> parts) : parts_(std::move(parts)) {}

  void write(const void* value, json::Writer& out, Spelling spelling) const final {
    for (const Part& part : parts_) {
      const void* held = part.get(value);
      if (held == nullptr) continue;
      part.type->write(held, out, spelling);
      return;
    }
    SPINDLE_ASSERT(false, "a union holds none of its alternatives");
  }

 protected:
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

class UnionType final : public AlternativesType {
 public:
  using AlternativesType::AlternativesType;

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!report.strict() && readStrict(input, path, out, report)) return true;
    return readAny(input, path, out, report);
  }
  void describe(json::Writer& out, Components& components) const override {
    writeSchemas(out.key("anyOf"), components, parts());
  }

 private:
  bool readStrict(const json::Node& input,
                  const Path& path,
                  void* out,
                  const Report& report) const {
    for (const Part& part : parts()) {
      Report attempt(true, report.spelling());
      if (part.type->read(input, path, part.emplace(out), attempt)) return true;
    }
    return false;
  }

  /// Tries each alternative in the mode of the report. Returns true at the first that matches; else
  /// adds the errors of every alternative to the report.
  bool readAny(const json::Node& input, const Path& path, void* out, Report& report) const {
    Report all(report.strict(), report.spelling());
    for (const Part& part : parts()) {
      const Path here(part.name, &path);
      Report attempt(report.strict(), report.spelling());
      if (part.type->read(input, here, part.emplace(out), attempt)) return true;
      all.append(std::move(attempt));
    }
    report.append(std::move(all));
    return false;
  }
};

class TaggedType final : public AlternativesType {
 public:
  TaggedType(std::string tag, std::vector<Part> parts)
      : AlternativesType(std::move(parts)), tag_(std::move(tag)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    if (!input.isObject()) {
      report.add(path, "model_attributes_type",
                 "Input should be a valid dictionary or object to extract fields from", input);
      return false;
    }
    const std::optional<json::Node> tag = input.find(tag_);
    if (!tag) {
      report.add(path,
                 {"union_tag_not_found", "Unable to extract tag using discriminator '" + tag_ + "'",
                  "{\"discriminator\":" + json::quoted("'" + tag_ + "'") + "}"},
                 input.raw());
      return false;
    }
    for (const Part& part : parts()) {
      if (!tag->isString() || !tag->textEquals(part.name)) continue;
      const Path here(part.name, &path);
      return part.type->read(input, here, part.emplace(out), report);
    }
    report.add(path, unknownTag(*tag), input.raw());
    return false;
  }
  void describe(json::Writer& out, Components& components) const override {
    out.key("oneOf").beginArray();
    for (const Part& part : parts()) {
      out.beginObject();
      part.type->describe(out, components);
      // Written next to the reference, because the record itself need not declare the tag.
      out.key("properties").beginObject().key(tag_).beginObject();
      out.key("const").string(part.name).endObject().endObject();
      out.key("required").beginArray().string(tag_).endArray().endObject();
    }
    out.endArray();
    out.key("discriminator").beginObject().key("propertyName").string(tag_).endObject();
  }

 private:
  RuleError unknownTag(const json::Node& tag) const {
    std::string expected;
    for (const Part& part : parts()) {
      if (!expected.empty()) expected += ", ";
      expected += "'" + part.name + "'";
    }
    const std::string found = tag.isString() ? tag.text() : std::string(tag.raw());
    return {"union_tag_invalid",
            "Input tag '" + found + "' found using '" + tag_ +
                "' does not match any of the expected tags: " + expected,
            "{\"discriminator\":" + json::quoted("'" + tag_ + "'") + ",\"tag\":" +
                json::quoted(found) + ",\"expected_tags\":" + json::quoted(expected) + "}"};
  }

  std::string tag_;
};

class DeferredType final : public Type {
 public:
  explicit DeferredType(std::function<TypePtr()> make) : make_(std::move(make)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    return inner().read(input, path, out, report);
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    inner().write(value, out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    inner().describe(out, components);
  }
  bool isList() const override { return inner().isList(); }
  bool isNull(const void* value) const override { return inner().isNull(value); }

 private:
  const Type& inner() const {
    std::call_once(once_, [this] { inner_ = make_(); });
    return *inner_;
  }

  std::function<TypePtr()> make_;
  mutable std::once_flag once_;
  mutable TypePtr inner_;
};

class CheckedType final : public WrapperType {
 public:
  CheckedType(TypePtr inner, std::function<std::optional<RuleError>(const void*)> check)
      : WrapperType(std::move(inner)), check_(std::move(check)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    return inner().read(input, path, out, report) && report.passes(path, check_(out), input);
  }

 private:
  std::function<std::optional<RuleError>(const void*)> check_;
};

}  // namespace

TypePtr listType(TypePtr item, SizeRules rules, VectorOps ops) {
  return std::make_shared<ListType>(std::move(item), rules, ops);
}
TypePtr mapType(TypePtr value, SizeRules rules, MapOps ops) {
  return std::make_shared<MapType>(std::move(value), rules, ops);
}
TypePtr keyedType(TypePtr map, TypePtr key, std::shared_ptr<void> (*place)()) {
  return std::make_shared<KeyedType>(std::move(map), std::move(key), place);
}
TypePtr nullableType(TypePtr inner, OptionalOps ops) {
  return std::make_shared<NullableType>(std::move(inner), ops);
}
TypePtr presentType(TypePtr inner, OptionalOps ops) {
  return std::make_shared<PresentType>(std::move(inner), ops);
}
TypePtr tupleType(std::vector<Part> parts) { return std::make_shared<TupleType>(std::move(parts)); }
TypePtr unionType(std::vector<Part> parts) { return std::make_shared<UnionType>(std::move(parts)); }
TypePtr taggedType(std::string tag, std::vector<Part> parts) {
  return std::make_shared<TaggedType>(std::move(tag), std::move(parts));
}
TypePtr deferredType(std::function<TypePtr()> make) {
  return std::make_shared<DeferredType>(std::move(make));
}
TypePtr checkedType(TypePtr inner, std::function<std::optional<RuleError>(const void*)> check) {
  return std::make_shared<CheckedType>(std::move(inner), std::move(check));
}

}  // namespace spindle::schema::detail
