#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::automation {

/// Why a text cannot be used as a regular expression (RE2 syntax, at most 1024 bytes, bounded
/// memory: no look-around, no back-references), or nothing when it can.
std::optional<std::string> patternProblem(std::string_view pattern);

}  // namespace spindle::automation
