#pragma once

#include <cstddef>
#include <string_view>

namespace spindle::agents {

/// Returns the first `count` characters (code points) of the text, or all of it if it has fewer.
std::string_view firstCharacters(std::string_view text, std::size_t count);

/// Returns the text without spaces, tabs and line ends at its start and end.
std::string_view trimmed(std::string_view text);

}  // namespace spindle::agents
