#pragma once

#include <string>

#include "schema/type.h"

namespace spindle::identity {

/// Codec of the `project_id` of a request: `entity/project`. It only describes the form.
/// splitProjectName() and the project repository enforce it, with a status and a text of their own.
schema::Codec<std::string> projectIdCodec();

/// Codecs of its two parts, for paths that have both.
schema::Codec<std::string> entityCodec();
schema::Codec<std::string> projectNameCodec();

}  // namespace spindle::identity
