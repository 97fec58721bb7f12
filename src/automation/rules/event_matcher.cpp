#include "automation/rules/event_matcher.h"

#include <algorithm>
#include <utility>

#include "automation/rules/event_spec_json.h"

namespace spindle::automation {
namespace {

std::optional<Pattern> compiled(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return Pattern(*text);
}

}  // namespace

struct EventMatcher::Watch {
  explicit Watch(EnabledAutomation watched)
      : automation(std::move(watched)),
        alias(compiled(automation.event.alias_regex)),
        tag(compiled(automation.event.tag_regex)) {
    if (automation.event.run_filter) run_name = compiled(automation.event.run_filter->name_regex);
  }

  bool wants(const events::Event& event, const EventFacts& facts) const {
    if (event.position <= automation.active_after) return false;
    if (!facts.automation_id.empty()) return facts.automation_id == automation.id;
    if (!covers(automation.scope, event.subject)) return false;
    return wantsAlias(event.type, facts) && wantsRun(event, facts) && wantsScore(facts) &&
           (!tag || tag->foundIn(facts.variable("tag")));
  }

  bool wantsAlias(EventType type, const EventFacts& facts) const {
    if (!alias) return true;
    if (type == EventType::kAddArtifactAlias) return alias->foundIn(facts.variable("alias"));
    return std::any_of(facts.aliases.begin(), facts.aliases.end(),
                       [&](const std::string& given) { return alias->foundIn(given); });
  }

  bool wantsRun(const events::Event& event, const EventFacts& facts) const {
    if (const std::optional<RunFilter>& filter = automation.event.run_filter) {
      if (filter->username && *filter->username != event.author) return false;
      if (run_name && !run_name->foundIn(facts.variable("run_name"))) return false;
    }
    if (!automation.event.states) return true;
    const std::vector<std::string>& states = *automation.event.states;
    return std::find(states.begin(), states.end(), foldedRunState(facts.variable("run_state"))) !=
           states.end();
  }

  bool wantsScore(const EventFacts& facts) const {
    if (!automation.event.score) return true;
    const ScoreSpec& wanted = *automation.event.score;
    const auto score = facts.scores.find(wanted.name);
    return score != facts.scores.end() &&
           compares(wanted.comparison, score->second, wanted.threshold);
  }

  EnabledAutomation automation;
  std::optional<Pattern> alias;
  std::optional<Pattern> tag;
  std::optional<Pattern> run_name;
};

EventMatcher::EventMatcher(std::vector<EnabledAutomation> automations) {
  for (EnabledAutomation& automation : automations) {
    const EventType type = automation.event_type;
    watches_[type].emplace_back(std::move(automation));
  }
}

EventMatcher::~EventMatcher() = default;

std::vector<const EnabledAutomation*> EventMatcher::match(const events::Event& event,
                                                          const EventFacts& facts) const {
  std::vector<const EnabledAutomation*> matching;
  const auto watches = watches_.find(event.type);
  if (watches == watches_.end()) return matching;
  for (const Watch& watch : watches->second) {
    if (watch.wants(event, facts)) matching.push_back(&watch.automation);
  }
  return matching;
}

bool matchesEvent(const AutomationDraft& automation,
                  const events::Event& event,
                  const EventFacts& facts) {
  // A project that does not exist yet has no events.
  if (automation.scope.type == ScopeType::kProject && automation.scope.project_id.empty()) {
    return false;
  }
  EnabledAutomation enabled;
  enabled.scope = automation.scope;
  enabled.event_type = automation.event_type;
  enabled.event = eventSpecOf(automation.event);
  enabled.active_after = event.position - 1;
  std::vector<EnabledAutomation> all;
  all.push_back(std::move(enabled));
  return !EventMatcher(std::move(all)).match(event, facts).empty();
}

bool covers(const Scope& scope, const events::Subject& subject) {
  switch (scope.type) {
    case ScopeType::kOrganization:
      return true;
    case ScopeType::kTeam:
      return scope.team_id == subject.team_id;
    case ScopeType::kProject:
      return scope.project_id == subject.project_id;
    case ScopeType::kRegistry:
      return scope.registry_id == subject.registry_id;
    case ScopeType::kCollection:
      return scope.collection_id == subject.collection_id;
  }
  return false;
}

bool compares(std::string_view comparison, double value, double threshold) {
  if (comparison == "gt") return value > threshold;
  if (comparison == "gte") return value >= threshold;
  if (comparison == "lt") return value < threshold;
  if (comparison == "lte") return value <= threshold;
  if (comparison == "eq") return value == threshold;
  return value != threshold;
}

std::string_view foldedRunState(std::string_view state) {
  return state == "CRASHED" ? "FAILED" : state;
}

}  // namespace spindle::automation
