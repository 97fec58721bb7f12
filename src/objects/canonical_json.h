#pragma once

#include <string>
#include <string_view>

namespace spindle::objects {

/// The text that digests are taken of: members sorted by code point, `", "` and `": "` between
/// them, everything but printable ASCII escaped, doubles as their shortest text (`1e-05`, `2.0`),
/// integers of any size as they are. Of members with the same name the last one counts.
/// The input must be valid JSON.
std::string canonicalJson(std::string_view json);

}  // namespace spindle::objects
