#include "automation/rules/event_spec.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "automation/payloads/named_value.h"
#include "automation/payloads/violations.h"
#include "automation/rules/pattern.h"

namespace spindle::automation {
namespace {

constexpr std::int64_t kZscoreWindow = 30;
constexpr double kZscoreThreshold = 3.0;
constexpr std::int64_t kTraceWindowMinutes = 5;

class Checker {
 public:
  std::vector<Violation> take() { return std::move(violations_); }

  /// Adds a violation whose location is below `body`, `event`.
  void add(Violation violation) {
    violation.loc.insert(violation.loc.begin(), {LocStep("body"), LocStep("event")});
    violations_.push_back(std::move(violation));
  }

  void presence(Place place, bool is_there, Presence required_presence) {
    if (is_there && required_presence == Presence::kForbidden) {
      add(forbiddenAt(place));
    } else if (!is_there && required_presence == Presence::kRequired) {
      add(missingAt(place));
    }
  }

  void pattern(Place place, const std::optional<std::string>& text) {
    if (!text) return;
    if (const std::optional<std::string> problem = patternProblem(*text)) {
      add(violationAt(place, "invalid_regex", "Invalid regular expression: " + *problem));
    }
  }

  /// Replaces a word by its spelling in the table, or adds a violation.
  void word(Place place, std::string& text, std::span<const std::string_view> table) {
    const std::string wanted = upperCase(text);
    for (const std::string_view known : table) {
      if (upperCase(known) != wanted) continue;
      text = known;
      return;
    }
    std::string choices;
    for (const std::string_view known : table) {
      if (!choices.empty()) choices += known == table.back() ? " or " : ", ";
      choices += "'" + std::string(known) + "'";
    }
    add(violationAt(place, "enum", "Input should be " + choices));
  }
  void word(Place place,
            std::optional<std::string>& text,
            std::span<const std::string_view> table) {
    if (text) word(place, *text, table);
  }

  void comparison(Place place, std::string& text) {
    if (text.starts_with('$')) text.erase(0, 1);
    word(place, text, kComparisons);
  }

 private:
  std::vector<Violation> violations_;
};

void fillMetric(EventType type, MetricSpec& metric) {
  if (type == EventType::kRunMetricChange) {
    metric.current_window = metric.current_window.value_or(1);
    metric.prior_window = metric.prior_window.value_or(*metric.current_window);
  } else if (type == EventType::kRunMetricZscore) {
    metric.window = metric.window.value_or(kZscoreWindow);
    metric.threshold = metric.threshold.value_or(kZscoreThreshold);
    metric.direction = metric.direction.value_or("ANY");
  } else if (type == EventType::kTraceMetricThreshold) {
    metric.window = metric.window.value_or(kTraceWindowMinutes);
  } else {
    metric.window = metric.window.value_or(1);
  }
}

void checkMetric(Checker& checker, const EventTypeRow& type, MetricSpec& metric) {
  const MetricRules& rules = type.metric;
  for (const auto& member : kMetricMembers) {
    checker.presence({"metric", member.name}, member.is_set(metric), rules.*member.presence);
  }
  if (metric.aggregation && upperCase(*metric.aggregation) == "AVG") metric.aggregation = "AVERAGE";
  checker.word({"metric", "aggregation"}, metric.aggregation, kAggregations);
  checker.word({"metric", "change_type"}, metric.change_type, kChangeTypes);
  checker.word({"metric", "direction"}, metric.direction, kDirections);
  if (metric.comparison) checker.comparison({"metric", "comparison"}, *metric.comparison);
  if (!rules.names.empty()) checker.word({"metric", "name"}, metric.name, rules.names);
  if (rules.positive_threshold && metric.threshold && *metric.threshold <= 0) {
    checker.add(
        violationAt({"metric", "threshold"}, "greater_than", "Input should be greater than 0"));
  }
  fillMetric(type.type, metric);
}

void checkStates(Checker& checker, std::vector<std::string>& states) {
  for (std::string& state : states) {
    if (upperCase(state) == "CRASHED") state = "FAILED";
    checker.word({"states"}, state, kStates);
  }
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
}

}  // namespace

std::vector<Violation> normalizeEvent(EventSpec& event) {
  Checker checker;
  const std::optional<EventType> named = eventTypeOf(event.type);
  const EventTypeRow* const type = named ? findEventType(*named) : nullptr;
  if (type == nullptr) {
    std::vector<std::string_view> names;
    for (const EventTypeRow& known : eventTypes()) names.push_back(textOf(known.type));
    checker.word({"type"}, event.type, names);
    return checker.take();
  }
  event.type = textOf(type->type);
  const FilterRules& rules = type->filters;
  for (const auto& filter : kFilters) {
    checker.presence({filter.name}, filter.is_set(event), rules.*filter.presence);
  }
  checker.pattern({"alias_regex"}, event.alias_regex);
  checker.pattern({"tag_regex"}, event.tag_regex);
  if (event.run_filter) {
    checker.pattern({"run_filter", "name_regex"}, event.run_filter->name_regex);
  }
  if (event.metric && rules.metric != Presence::kForbidden)
    checkMetric(checker, *type, *event.metric);
  if (event.states) checkStates(checker, *event.states);
  if (event.score) checker.comparison({"score", "comparison"}, event.score->comparison);
  return checker.take();
}

}  // namespace spindle::automation
