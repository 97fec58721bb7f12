#pragma once

#include <string>
#include <string_view>

namespace spindle::transfer {

/// Returns a JSON text with its references to one project changed to another project. A reference
/// is a whole string, in either spelling, also inside strings that contain JSON text (to a depth of
/// eight). Member names and all other text stay unchanged, byte for byte. Projects are
/// `entity/project`. `json` must be valid JSON.
std::string rewriteRefs(std::string_view json, std::string_view from, std::string_view to);

}  // namespace spindle::transfer
