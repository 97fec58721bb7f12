#include "config/nearest.h"

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"
#include "config/declarations.h"

namespace spindle::config {
namespace {

/// Converts keys, flags and variables to one spelling: `server_listen`.
std::string normalised(std::string_view written) {
  for (const std::string_view prefix : {"SPINDLE_", "--no-", "--"}) {
    if (!written.starts_with(prefix)) continue;
    written.remove_prefix(prefix.size());
    break;
  }
  std::string name = lowerCase(written);
  for (char& c : name) {
    if (c == '.' || c == '-') c = '_';
  }
  return name;
}

/// Returns one more than the largest accepted edit distance.
std::size_t distanceLimit(std::string_view name) {
  return std::max<std::size_t>(1, name.size() / 3) + 1;
}

}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t least = distanceLimit(name);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(name, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

const Setting* nearestSetting(std::string_view written) {
  const std::string name = normalised(written);
  // The first word may be a section, right or wrong: also compare the rest.
  const std::string rest = name.substr(name.find('_') + 1);
  const Setting* nearest = nullptr;
  std::size_t least = distanceLimit(name);
  for (const Setting& setting : declarations()) {
    std::size_t distance = editDistance(name, normalised(setting.key));
    distance = std::min(distance, editDistance(name, normalised(setting.environment)));
    distance = std::min(distance, editDistance(name, setting.name()));
    distance = std::min(distance, editDistance(rest, setting.name()) + (rest == name ? 0 : 1));
    if (distance >= least) continue;
    least = distance;
    nearest = &setting;
  }
  return nearest;
}

}  // namespace spindle::config
