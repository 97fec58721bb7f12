#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "automation/payloads/payload_renderer.h"
#include "automation/rules/metric_condition.h"
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

/// The data of an event that a metric condition raises. The event is for one automation.
struct MetricEventData {
  std::string automation_id;
  std::string team;     ///< its name
  std::string project;  ///< its name
  std::optional<std::string> run_id = {};
  std::optional<std::string> run_name = {};
  std::optional<std::string> run_state = {};
  std::string metric;
  MetricFinding finding;
};

/// Returns the JSON object of the data, without unset members.
std::string dataText(const MetricEventData& data);

}  // namespace spindle::automation
