#include "tracing/ingest/object_media_store.h"

#include <optional>
#include <string>
#include <utility>

#include "objects/store/file_repository.h"
#include "objects/store/object_repository.h"
#include "objects/values/digest.h"
#include "objects/values/new_value.h"
#include "objects/values/ref.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::tracing {
namespace {

using schema::Record;

/// All media are versions of one object, distinguished by their content.
constexpr std::string_view kObjectName = "Content";

/// The stored description of a file.
struct FileDescription {
  std::string filename;
  std::string extension;
  std::string mimetype;
  std::int64_t size = 0;
  std::string digest;
  std::string content_type = "bytes";
  std::string input_type = "base64";
  std::string encoding = "base64";
  std::optional<std::string> metadata = {};  ///< never set
};

/// The type in the value of an object.
struct ContentType {
  std::string type;
};
/// The digests of the files in the value of an object.
struct ContentFiles {
  std::string content;
  std::string description;
};
/// The value of an object with content.
struct ContentValue {
  std::string value_type;
  ContentType type;
  ContentFiles files;
};

schema::Codec<FileDescription> fileDescriptionCodec() {
  const auto text = schema::string();
  return Record<FileDescription>("FileDescription")
      .required("filename", &FileDescription::filename, text)
      .required("extension", &FileDescription::extension, text)
      .required("mimetype", &FileDescription::mimetype, text)
      .required("size", &FileDescription::size, schema::integer())
      .required("digest", &FileDescription::digest, text)
      .required("content_type", &FileDescription::content_type, text)
      .required("input_type", &FileDescription::input_type, text)
      .required("encoding", &FileDescription::encoding, text)
      .required("metadata", &FileDescription::metadata, schema::nullable(text))
      .codec();
}

schema::Codec<ContentValue> contentValueCodec() {
  const auto type = Record<ContentType>("ContentType")
                        .required("type", &ContentType::type, schema::string())
                        .codec();
  const auto files = Record<ContentFiles>("ContentFiles")
                         .required("content", &ContentFiles::content, schema::string())
                         .required("metadata.json", &ContentFiles::description, schema::string())
                         .codec();
  return Record<ContentValue>("ContentValue")
      .required("_type", &ContentValue::value_type, schema::string())
      .required("svc_type", &ContentValue::type, type)
      .required("files", &ContentValue::files, files)
      .codec();
}

std::string describe(std::string_view bytes, std::string_view media_type, std::string_view digest) {
  static const schema::Codec<FileDescription> codec = fileDescriptionCodec();
  const std::string extension = "." + std::string(media_type.substr(media_type.find('/') + 1));
  return codec.toJson({.filename = std::string(digest) + extension,
                       .extension = extension,
                       .mimetype = std::string(media_type),
                       .size = static_cast<std::int64_t>(bytes.size()),
                       .digest = std::string(digest)});
}

}  // namespace

Result<std::string> ObjectMediaStore::keep(std::string_view bytes, std::string_view media_type) {
  const std::string content = objects::contentDigest(bytes);
  const std::string description = describe(bytes, media_type, content);
  const std::string described = objects::contentDigest(description);
  TRY(files_.put(owner_.project_id, content, bytes));
  TRY(files_.put(owner_.project_id, described, description));

  static const schema::Codec<ContentValue> codec = contentValueCodec();
  std::string value = codec.toJson({std::string(wire::customValueType(owner_.spelling)),
                                    {std::string(wire::contentType(owner_.spelling))},
                                    {content, described}},
                                   owner_.spelling);
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
