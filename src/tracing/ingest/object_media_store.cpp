#include "tracing/ingest/object_media_store.h"

#include <utility>

#include "json/writer.h"
#include "objects/store/file_repository.h"
#include "objects/store/object_repository.h"
#include "objects/values/digest.h"
#include "objects/values/new_value.h"
#include "objects/values/ref.h"

namespace spindle::tracing {
namespace {

/// All media are versions of one object, distinguished by their content.
constexpr std::string_view kObjectName = "Content";

std::string describe(std::string_view bytes, std::string_view media_type, std::string_view digest) {
  const std::string_view kind = media_type.substr(media_type.find('/') + 1);
  std::string text;
  json::Writer out(text);
  out.beginObject();
  out.key("filename").string(std::string(digest) + "." + std::string(kind));
  out.key("extension").string("." + std::string(kind));
  out.key("mimetype").string(media_type);
  out.key("size").integer(static_cast<std::int64_t>(bytes.size()));
  out.key("digest").string(digest);
  out.key("content_type").string("bytes");
  out.key("input_type").string("base64");
  out.key("encoding").string("base64");
  out.key("metadata").null();
  out.endObject();
  return text;
}

}  // namespace

Result<std::string> ObjectMediaStore::keep(std::string_view bytes, std::string_view media_type) {
  const std::string content = objects::contentDigest(bytes);
  const std::string description = describe(bytes, media_type, content);
  const std::string described = objects::contentDigest(description);
  TRY(files_.put(owner_.project_id, content, bytes));
  TRY(files_.put(owner_.project_id, described, description));

  std::string value;
  json::Writer out(value);
  out.beginObject();
  out.key("_type").string(wire::customValueType(owner_.spelling));
  out.key(wire::memberFor(owner_.spelling, "svc_type"))
      .beginObject()
      .key("type")
      .string(wire::contentType(owner_.spelling))
      .endObject();
  out.key("files").beginObject();
  out.key("content").string(content).key("metadata.json").string(described);
  out.endObject().endObject();
  const objects::NewObject object =
      objects::newObject(owner_.project_id, kObjectName, std::move(value), owner_.user_id);
  TRY(objects_.publish(object));

  objects::Ref ref;
  ref.scheme = wire::RefScheme::kInternal;
  ref.project = owner_.project_id;
  ref.name = kObjectName;
  ref.version = object.digest;
  return objects::printRef(ref);
}

}  // namespace spindle::tracing
