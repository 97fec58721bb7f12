#include "schema/record.h"

#include <algorithm>
#include <array>

#include "base/core/check.h"

namespace spindle::schema::detail {
namespace {

void* memberAt(void* record, std::size_t offset) { return static_cast<char*>(record) + offset; }
const void* memberAt(const void* record, std::size_t offset) {
  return static_cast<const char*>(record) + offset;
}

/// The name and value of a field in the input.
struct Member {
  json::Node key;
  json::Node value;
};

/// The input member of each field. Does not allocate for records of up to 24 fields.
class Slots {
 public:
  explicit Slots(std::size_t count) {
    if (count > few_.size()) many_.resize(count);
  }
  std::optional<Member>& operator[](std::size_t index) {
    return many_.empty() ? few_[index] : many_[index];
  }

 private:
  std::array<std::optional<Member>, 24> few_;
  std::vector<std::optional<Member>> many_;
};

/// Returns the field name for error locations: as in the input, or in `spelling` if missing.
const std::string& shownName(const Field& field,
                             const std::optional<Member>& member,
                             Spelling spelling) {
  if (field.vendor_name.empty()) return field.name;
  if (!member) return field.nameIn(spelling);
  return member->key.textEquals(field.name) ? field.name : field.vendor_name;
}

}  // namespace

bool Field::isNamed(const json::Node& key) const {
  return key.textEquals(name) || (!vendor_name.empty() && key.textEquals(vendor_name));
}

const std::string& Field::nameIn(Spelling spelling) const {
  return spelling == Spelling::kVendor && !vendor_name.empty() ? vendor_name : name;
}

void RecordType::addField(std::string_view name,
                          std::string_view doc,
                          const TypePtr& type,
                          std::size_t offset,
                          bool required) {
  Field& field = fields_.emplace_back();
  field.name = name;
  const std::string_view vendor = wire::memberFor(Spelling::kVendor, name);
  if (vendor != name) field.vendor_name = vendor;
  field.doc = doc;
  field.type = type;
  field.offset = offset;
  field.required = required;
}

void RecordType::keepExtras(void* (*slot)(void*, std::size_t, std::string), std::size_t offset) {
  SPINDLE_ASSERT(extra_ == Extra::kKeep, "extras() requires Extra::kKeep");
  extra_slot_ = slot;
  extra_offset_ = offset;
}

bool RecordType::read(const json::Node& input, const Path& path, void* out, Report& report) const {
  if (!input.isObject()) {
    report.add(path, "model_attributes_type",
               "Input should be a valid dictionary or object to extract fields from", input);
    return false;
  }
  return readFields(input, path, out, report) && runChecks(input, path, out, report);
}

bool RecordType::readFields(const json::Node& input,
                            const Path& path,
                            void* out,
                            Report& report) const {
  Slots slots(fields_.size());
  bool extras = false;
  std::size_t expected = 0;  // members are usually in the order of the declaration
  for (auto at = input.begin(); at != input.end(); ++at) {
    const json::Node key = *at;
    ++at;
    std::size_t tried = 0;
    while (tried < fields_.size() && !fields_[expected].isNamed(key)) {
      expected = expected + 1 == fields_.size() ? 0 : expected + 1;
      ++tried;
    }
    if (tried == fields_.size()) {
      extras = true;
    } else {
      slots[expected] = Member{key, *at};
      expected = expected + 1 == fields_.size() ? 0 : expected + 1;
    }
  }

  bool good = true;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    const Path here(shownName(field, slots[i], report.spelling()), &path);
    if (slots[i]) {
      good = field.type->read(slots[i]->value, here, memberAt(out, field.offset), report) && good;
    } else if (field.required) {
      report.add(here, "missing", "Field required", input);
      good = false;
    }
  }
  if (!extras || extra_ == Extra::kIgnore) return good;
  for (auto at = input.begin(); at != input.end(); ++at) {
    const json::Node key = *at;
    ++at;
    const bool known = std::any_of(fields_.begin(), fields_.end(),
                                   [&key](const Field& field) { return field.isNamed(key); });
    if (!known) good = readExtra(key, *at, path, out, report) && good;
  }
  return good;
}

bool RecordType::readExtra(const json::Node& key,
                           const json::Node& value,
                           const Path& path,
                           void* out,
                           Report& report) const {
  std::string name = key.text();
  if (extra_ == Extra::kKeep && extra_slot_ != nullptr) {
    static_cast<json::Text*>(extra_slot_(out, extra_offset_, std::move(name)))->json = value.raw();
    return true;
  }
  const Path here(name, &path);
  report.add(here, "extra_forbidden", "Extra inputs are not permitted", value);
  return false;
}

bool RecordType::runChecks(const json::Node& input,
                           const Path& path,
                           const void* out,
                           Report& report) const {
  for (const auto& check : checks_) {
    if (!report.passes(path, check(out), input)) return false;
  }
  return true;
}

void RecordType::write(const void* value, json::Writer& out, Spelling spelling) const {
  out.beginObject();
  for (const Field& field : fields_) {
    const void* member = memberAt(value, field.offset);
    const bool left_out = field.omit_null && field.type->isNull(member);
    if (left_out || field.type->isAbsent(member)) continue;
    out.key(field.nameIn(spelling));
    field.type->write(member, out, spelling);
  }
  if (extra_slot_ != nullptr) {
    const auto& extras = *static_cast<const MapOf<json::Text>*>(memberAt(value, extra_offset_));
    for (const auto& [name, text] : extras) out.key(name).raw(text.json);
  }
  out.endObject();
}

void RecordType::describe(json::Writer& out, Components& components) const {
  out.key("$ref").string(components.reference(name_, *this));
}

void RecordType::describeField(const Field& field,
                               json::Writer& out,
                               Components& components) const {
  out.beginObject();
  field.type->describe(out, components);
  if (!field.doc.empty()) out.key("description").string(field.doc);
  const void* initial = memberAt(prototype_.get(), field.offset);
  if (!field.required && !field.type->isAbsent(initial)) {
    out.key("default");
    field.type->write(initial, out, Spelling::kNeutral);
  }
  out.endObject();
}

void RecordType::describeParameter(const Field& field,
                                   json::Writer& out,
                                   Components& components) const {
  out.beginObject();
  field.type->withoutNull().describe(out, components);
  const void* initial = memberAt(prototype_.get(), field.offset);
  const bool has_default =
      !field.required && !field.type->isAbsent(initial) && !field.type->isNull(initial);
  if (has_default) {
    out.key("default");
    field.type->write(initial, out, Spelling::kNeutral);
  }
  out.endObject();
}

void RecordType::describeInline(json::Writer& out, Components& components) const {
  writeType(out, "object");
  out.key("title").string(name_);
  out.key("properties").beginObject();
  for (const Field& field : fields_) {
    out.key(field.name);
    describeField(field, out, components);
  }
  out.endObject();
  // A member that write() may omit is not required.
  std::vector<std::string_view> required;
  for (const Field& field : fields_) {
    if (field.required && !field.omit_null) required.push_back(field.name);
  }
  if (!required.empty()) {
    out.key("required").beginArray();
    for (const std::string_view name : required) out.string(name);
    out.endArray();
  }
  if (extra_ != Extra::kIgnore) {
    out.key("additionalProperties").boolean(extra_ == Extra::kKeep);
  }
}

}  // namespace spindle::schema::detail
