#pragma once

#include <string>
#include <string_view>

namespace spindle::transfer {

/// A JSON text with its references to one project pointing into another. A reference is a whole
/// string, in either spelling, also inside strings that are JSON text themselves (to a depth of
/// eight). Names of members and all other text stay, byte for byte. Projects are `entity/project`.
/// `json` must be valid JSON.
std::string movedRefs(std::string_view json, std::string_view from, std::string_view to);

}  // namespace spindle::transfer
