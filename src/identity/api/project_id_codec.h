#pragma once

#include <string>

#include "schema/type.h"

namespace spindle::identity {

/// Returns the codec of `project_id` in requests: `entity/project`. The codec only documents the
/// format. splitProjectName() and the project repository enforce it, with their own status and
/// message.
schema::Codec<std::string> projectIdCodec();

/// Return the codecs of the two parts, for paths that contain both.
schema::Codec<std::string> entityCodec();
schema::Codec<std::string> projectNameCodec();

}  // namespace spindle::identity
