#include "feedback/aggregation.h"

namespace spindle::feedback {

std::string_view textOf(GroupKey key) {
  switch (key) {
    case GroupKey::kScorerId:
      return "scorer_id";
    case GroupKey::kAgentName:
      return "span_agent_name";
    case GroupKey::kAgentVersion:
      return "span_agent_version";
    case GroupKey::kStatusCode:
      return "span_status_code";
  }
  return "";
}

}  // namespace spindle::feedback
