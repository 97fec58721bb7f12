#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::config {

struct Setting;

/// Returns the Damerau–Levenshtein distance (optimal string alignment): the number of insertions,
/// deletions, replacements and swaps of neighbours that turn one text into the other.
std::size_t editDistance(std::string_view a, std::string_view b);

/// Returns the candidate closest to a mistyped name, or empty if more than a third of the letters
/// would have to change. The first of equally close candidates wins.
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

/// Returns the setting closest to a mistyped key, flag or variable, or null. A missing or
/// additional section does not count: `--idle-timeout` and `SPINDLE_SERVER_LISTEN` find their
/// settings.
const Setting* nearestSetting(std::string_view written);

}  // namespace spindle::config
