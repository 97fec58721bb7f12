#include "identity/project_id_api.h"

#include "schema/described.h"
#include "schema/scalar.h"

namespace spindle::identity {

schema::Codec<std::string> projectIdCodec() {
  return schema::describedAs(schema::string(),
                             schema::string({.pattern = R"(^[^/]+/[^/\\#?%:\r\n]{1,128}$)"}));
}

}  // namespace spindle::identity
