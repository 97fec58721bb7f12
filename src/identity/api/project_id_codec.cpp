#include "identity/api/project_id_codec.h"

#include "identity/types/names.h"
#include "schema/described.h"
#include "schema/scalar.h"

namespace spindle::identity {

using schema::describedAs;
using schema::string;

schema::Codec<std::string> projectIdCodec() {
  return describedAs(string(),
                     string({.pattern = R"(^[a-z0-9][a-z0-9_-]{0,63}/[^/\\#?%:\r\n]{1,128}$)"}));
}

schema::Codec<std::string> entityCodec() {
  return describedAs(string(), string({.max_length = kMaxTeamName, .pattern = kTeamNamePattern}));
}

schema::Codec<std::string> projectNameCodec() {
  return describedAs(string(),
                     string({.max_length = kMaxProjectName, .pattern = kProjectNamePattern}));
}

}  // namespace spindle::identity
