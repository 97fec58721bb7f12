#include "schema/type.h"

#include <set>

#include "base/core/check.h"

namespace spindle::schema {
namespace {

std::string inlineSchemaOf(const Type& record) {
  std::string text;
  json::Writer out(text);
  Components ignored;
  out.beginObject();
  record.describeInline(out, ignored);
  out.endObject();
  return text;
}

}  // namespace

std::string Components::reference(const std::string& name, const Type& record) {
  const auto [found, fresh] = records_.emplace(name, &record);
  SPINDLE_ASSERT(
      fresh || found->second == &record || inlineSchemaOf(*found->second) == inlineSchemaOf(record),
      "two different records share one schema name");
  return "#/components/schemas/" + name;
}

void Components::write(json::Writer& out) {
  // Describing a record may add further records: first visit them all, then write in name order.
  std::set<std::string> followed;
  bool more = true;
  while (more) {
    more = false;
    const std::map<std::string, const Type*> known = records_;
    for (const auto& [name, record] : known) {
      if (!followed.insert(name).second) continue;
      more = true;
      std::string ignored;
      json::Writer scratch(ignored);
      scratch.beginObject();
      record->describeInline(scratch, *this);
    }
  }
  for (const auto& [name, record] : records_) {
    out.key(name).beginObject();
    record->describeInline(out, *this);
    out.endObject();
  }
}

TypePtr::TypePtr(const TypePtr& other) = default;
TypePtr::TypePtr(TypePtr&& other) noexcept = default;
TypePtr& TypePtr::operator=(const TypePtr& other) = default;
TypePtr& TypePtr::operator=(TypePtr&& other) noexcept = default;
TypePtr::~TypePtr() = default;

}  // namespace spindle::schema
