#pragma once

#include <map>
#include <string>
#include <vector>

#include "automation/payloads/payload_renderer.h"
#include "events/event.h"

namespace spindle::automation {

/// The data of an event for filters and templates.
struct EventFacts {
  PayloadFacts payload;                               ///< without the name of the automation
  std::vector<std::string> aliases;                   ///< aliases of a new version or link
  std::map<std::string, double, std::less<>> scores;  ///< scores of an evaluation
  std::string automation_id;                          ///< the only receiver; empty: all that match

  /// Returns the value of a variable, or empty if the event has none.
  std::string_view variable(std::string_view name) const;
};

EventFacts factsOf(const events::Event& event);

}  // namespace spindle::automation
