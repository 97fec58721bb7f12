#include "feedback/statistics.h"

#include <algorithm>
#include <cmath>

namespace spindle::feedback {

std::string percentileName(double percentile) {
  if (percentile == std::floor(percentile)) {
    return "p" + std::to_string(static_cast<std::int64_t>(percentile));
  }
  std::string text = std::to_string(percentile);
  text.erase(text.find_last_not_of('0') + 1);
  std::replace(text.begin(), text.end(), '.', '_');
  return "p" + text;
}

}  // namespace spindle::feedback
