#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/rules/event_type.h"
#include "base/core/error.h"

namespace spindle::automation {

// The words of conditions.
inline constexpr std::array<std::string_view, 6> kComparisons = {"gt",  "gte", "lt",
                                                                 "lte", "eq",  "ne"};
inline constexpr std::array<std::string_view, 3> kAggregations = {"AVERAGE", "MIN", "MAX"};
inline constexpr std::array<std::string_view, 2> kChangeTypes = {"ABSOLUTE", "RELATIVE"};
inline constexpr std::array<std::string_view, 3> kDirections = {"INCREASE", "DECREASE", "ANY"};
inline constexpr std::array<std::string_view, 3> kStates = {"RUNNING", "FINISHED", "FAILED"};

/// Filter of runs. If both members are set, both must match.
struct RunFilter {
  std::optional<std::string> username;
  std::optional<std::string> name_regex;
};

/// Condition on a metric. The type of the event decides which members apply.
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

/// Condition on a score of an evaluation run.
struct ScoreSpec {
  std::string name;
  std::string comparison;
  double threshold = 0;
};

/// The event filter of an automation, as in a request.
struct EventSpec {
  std::string type;
  std::optional<std::string> alias_regex;
  std::optional<std::string> tag_regex;
  std::optional<RunFilter> run_filter;
  std::optional<MetricSpec> metric;
  std::optional<std::vector<std::string>> states;  ///< `RUNNING`, `FINISHED`, `FAILED`
  std::optional<ScoreSpec> score;
};

/// A member of a specification: its name in requests, its rule, and whether it is set.
template <class Spec, class Rules>
struct MemberRule {
  std::string_view name;
  Presence Rules::*presence;
  bool (*is_set)(const Spec& spec);
};

template <class Spec, auto kMember>
bool isSet(const Spec& spec) {
  return (spec.*kMember).has_value();
}

inline constexpr auto kFilters = std::to_array<MemberRule<EventSpec, FilterRules>>({
    {"alias_regex", &FilterRules::alias_regex, isSet<EventSpec, &EventSpec::alias_regex>},
    {"tag_regex", &FilterRules::tag_regex, isSet<EventSpec, &EventSpec::tag_regex>},
    {"run_filter", &FilterRules::run_filter, isSet<EventSpec, &EventSpec::run_filter>},
    {"metric", &FilterRules::metric, isSet<EventSpec, &EventSpec::metric>},
    {"states", &FilterRules::states, isSet<EventSpec, &EventSpec::states>},
    {"score", &FilterRules::score, isSet<EventSpec, &EventSpec::score>},
});

/// The members of the metric condition, without the name of the metric.
inline constexpr auto kMetricMembers = std::to_array<MemberRule<MetricSpec, MetricRules>>({
    {"aggregation", &MetricRules::aggregation, isSet<MetricSpec, &MetricSpec::aggregation>},
    {"window", &MetricRules::window, isSet<MetricSpec, &MetricSpec::window>},
    {"comparison", &MetricRules::comparison, isSet<MetricSpec, &MetricSpec::comparison>},
    {"threshold", &MetricRules::threshold, isSet<MetricSpec, &MetricSpec::threshold>},
    {"current_window", &MetricRules::change_windows,
     isSet<MetricSpec, &MetricSpec::current_window>},
    {"prior_window", &MetricRules::change_windows, isSet<MetricSpec, &MetricSpec::prior_window>},
    {"change_type", &MetricRules::change, isSet<MetricSpec, &MetricSpec::change_type>},
    {"amount", &MetricRules::change, isSet<MetricSpec, &MetricSpec::amount>},
    {"direction", &MetricRules::direction, isSet<MetricSpec, &MetricSpec::direction>},
});

/// Normalizes a specification: canonical spelling of names, defaults filled in, states sorted.
/// @return all violations, with locations below `body`, `event`; the specification is only
/// normalized if there are none.
std::vector<Violation> normalizeEvent(EventSpec& event);

}  // namespace spindle::automation
