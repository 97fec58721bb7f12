#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "automation/event_type.h"
#include "base/error.h"

namespace spindle::automation {

/// Which runs an event is wanted of; both given: both must hold.
struct RunFilter {
  std::optional<std::string> username;
  std::optional<std::string> name_regex;
};

/// When a metric is worth an event. Which members count depends on the type of the event.
struct MetricSpec {
  std::string name;
  std::optional<std::string> aggregation = {};  ///< `AVERAGE`, `MIN`, `MAX`
  std::optional<std::int64_t> window = {};
  std::optional<std::string> comparison = {};  ///< `gt`, `gte`, `lt`, `lte`, `eq`, `ne`
  std::optional<double> threshold = {};
  std::optional<std::int64_t> current_window = {};
  std::optional<std::int64_t> prior_window = {};
  std::optional<std::string> change_type = {};  ///< `ABSOLUTE`, `RELATIVE`
  std::optional<std::string> direction = {};    ///< `INCREASE`, `DECREASE`, `ANY`
  std::optional<double> amount = {};
};

/// A score of an evaluation run against a number.
struct ScoreSpec {
  std::string name;
  std::string comparison;
  double threshold = 0;
};

/// What an automation waits for, as it is written in a request.
struct EventSpec {
  std::string type;
  std::optional<std::string> alias_regex;
  std::optional<std::string> tag_regex;
  std::optional<RunFilter> run_filter;
  std::optional<MetricSpec> metric;
  std::optional<std::vector<std::string>> states;  ///< `RUNNING`, `FINISHED`, `FAILED`
  std::optional<ScoreSpec> score;
};

/// Puts a specification into its one normal form: names in their own spelling, defaults filled in,
/// states sorted. @return every broken rule, with locations below `body`, `event`; the form is only
/// normal when there is none.
std::vector<Violation> normalizeEvent(EventSpec& event);

}  // namespace spindle::automation
