#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spindle::runs {

inline constexpr std::size_t kMaxRunId = 128;
/// Excludes characters that need escaping in a path, and line ends.
inline constexpr std::string_view kRunIdPattern = R"(^[^/\\#?%:\r\n]+$)";

/// Returns eight random lower-case letters and digits.
std::string randomRunId();

/// Returns a display name such as `quiet-harbour-12`: two random words and the number of the run in
/// its project.
std::string randomRunName(std::int64_t sequence);

}  // namespace spindle::runs
