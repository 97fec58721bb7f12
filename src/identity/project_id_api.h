#pragma once

#include <string>

#include "schema/type.h"

namespace spindle::identity {

/// Codec of the `project_id` of a request: `entity/project`. It only describes the form.
/// splitProjectName() and the project repository enforce it, with a status and a text of their own.
schema::Codec<std::string> projectIdCodec();

}  // namespace spindle::identity
