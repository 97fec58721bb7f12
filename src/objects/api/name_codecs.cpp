#include "objects/api/name_codecs.h"

#include "schema/compound.h"
#include "schema/described.h"
#include "schema/scalar.h"

namespace spindle::objects {

using schema::describedAs, schema::list, schema::string;

schema::Codec<std::string> objectIdCodec() {
  return describedAs(string(), string({.pattern = "^[A-Za-z0-9_.-]{1,128}$"}));
}

schema::Codec<Texts> tagsCodec() {
  return describedAs(
      list(string()),
      list(string({.max_length = 256, .pattern = "^[A-Za-z0-9_-]+( [A-Za-z0-9_-]+)*$"})));
}

schema::Codec<Texts> aliasesCodec() {
  const auto shown = schema::described(
      string({.min_length = 1, .max_length = 128, .pattern = R"(^[^/:]*[^/:\s][^/:]*$)"}),
      R"({"not":{"pattern":"^(latest|v[0-9]+)$"}})");
  return describedAs(list(string()), list(shown));
}

schema::Codec<Texts> textsCodec(std::size_t most) {
  return describedAs(list(string()), list(string(), {.max_items = most}));
}

schema::Codec<std::optional<std::int64_t>> pagingCodec() {
  return schema::nullable(describedAs(schema::integer(), schema::integer({.ge = 0})));
}

schema::Codec<DigestBody> digestBodyCodec(std::string name, std::string_view digest_doc) {
  return projectRecord<DigestBody>(std::move(name))
      .required("digest", &DigestBody::digest, string(), digest_doc)
      .codec();
}

}  // namespace spindle::objects
