#include "live/topic.h"

#include <algorithm>

namespace spindle::live {

std::optional<Topic> topicOf(std::string_view text) {
  const auto found = std::find(kTopicNames.begin(), kTopicNames.end(), text);
  if (found == kTopicNames.end()) return std::nullopt;
  return static_cast<Topic>(found - kTopicNames.begin());
}

}  // namespace spindle::live
