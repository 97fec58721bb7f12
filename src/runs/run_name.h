#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spindle::runs {

inline constexpr std::size_t kMaxRunId = 128;
/// No characters that would have to be escaped in a path, and no line ends.
inline constexpr std::string_view kRunIdPattern = R"(^[^/\\#?%:\r\n]+$)";

/// Eight random characters.
std::string randomRunId();

/// A name for people, such as `quiet-harbour-12`: two words by chance, and the number of the run in
/// its project.
std::string randomRunName(std::int64_t sequence);

}  // namespace spindle::runs
