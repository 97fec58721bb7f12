#include "objects/values/new_value.h"

#include <utility>

#include "json/writer.h"
#include "objects/values/digest.h"
#include "objects/values/object_value.h"

namespace spindle::objects {

NewObject newObject(std::string_view project_id,
                    std::string_view object_id,
                    std::string value,
                    std::string_view user_id) {
  ValueDigest digest = valueDigest(value);
  NewObject object;
  object.project_id = project_id;
  object.object_id = object_id;
  object.digest = std::move(digest.digest);
  object.size_bytes = static_cast<std::int64_t>(digest.size);
  object.classes = classesOf(value);
  object.value = std::move(value);
  object.user_id = user_id;
  return object;
}

std::string opValue(std::string_view source_digest, wire::Spelling spelling) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  out.key("_type").string(wire::customValueType(spelling));
  out.key(wire::memberFor(spelling, "svc_type")).beginObject().key("type").string("Op").endObject();
  out.key("files").beginObject().key(kSourceFile).string(source_digest).endObject();
  out.endObject();
  return text;
}

Result<NewRow> newRow(std::string_view json, RefProjects& projects) {
  NewRow row;
  row.value = json::compact(json);
  TRY(internalizeRefs(row.value, projects));
  ValueDigest digest = valueDigest(row.value);
  row.digest = std::move(digest.digest);
  row.size_bytes = static_cast<std::int64_t>(digest.size);
  return row;
}

}  // namespace spindle::objects
