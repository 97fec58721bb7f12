#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::config {

struct Setting;

/// Damerau–Levenshtein distance (optimal string alignment): how many insertions, deletions,
/// replacements and swaps of neighbours turn one text into the other.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate that a mistyped name most likely meant, or empty when none is close: more than a
/// third of the letters would have to change. The first of equally close ones wins.
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

/// The setting that a wrong key, flag or variable most likely meant, or null. Both `--idle-timeout`
/// and `SPINDLE_SERVER_LISTEN` find theirs: a section too few or too many does not count.
const Setting* nearestSetting(std::string_view written);

}  // namespace spindle::config
