#pragma once

#include <string_view>

namespace spindle::inference {

/// The OpenAPI tag of all routes of the area.
inline constexpr std::string_view kInferenceTag = "inference";

}  // namespace spindle::inference
