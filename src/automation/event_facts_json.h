#pragma once

#include <map>
#include <string>
#include <vector>

#include "automation/payload_json.h"
#include "events/event.h"

namespace spindle::automation {

/// What an event tells filters and templates.
struct EventFacts {
  PayloadFacts payload;                               ///< all but the name of the automation
  std::vector<std::string> aliases;                   ///< given together with a version or a link
  std::map<std::string, double, std::less<>> scores;  ///< of an evaluation
  std::string automation_id;  ///< whom the event is meant for; empty: whoever waits for it

  /// Empty when the event says nothing of the kind.
  std::string_view variable(std::string_view name) const;
};

EventFacts factsOf(const events::Event& event);

}  // namespace spindle::automation
