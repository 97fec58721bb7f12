#pragma once

#include <string>
#include <string_view>

namespace spindle::objects {

/// Returns the canonical text for digests: members sorted by code point and separated by `", "` and
/// `": "`, everything but printable ASCII escaped, doubles in their shortest form (`1e-05`, `2.0`),
/// integers of any size unchanged. The last of several members with the same name counts. The input
/// must be valid JSON.
std::string canonicalJson(std::string_view json);

}  // namespace spindle::objects
