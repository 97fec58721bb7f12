#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "automation/rules/automation.h"
#include "automation/rules/event_facts.h"
#include "automation/rules/event_spec.h"
#include "automation/rules/pattern.h"
#include "base/core/time.h"

namespace spindle::automation {

/// The parts of an enabled automation that are needed to match events.
struct EnabledAutomation {
  std::string id;
  std::string name;
  Scope scope;
  EventType event_type = EventType::kLinkArtifact;
  EventSpec event;
  Action action;
  /// Position of the newest event when the automation was created, enabled or changed. Only later
  /// events match.
  std::int64_t active_after = 0;
};

/// Index of the enabled automations that finds those matching an event. Immutable, thread-safe.
class EventMatcher {
 public:
  explicit EventMatcher(std::vector<EnabledAutomation> automations);
  ~EventMatcher();
  EventMatcher(const EventMatcher&) = delete;
  EventMatcher& operator=(const EventMatcher&) = delete;

  /// Returns the automations that match the event. The pointers are valid as long as the matcher.
  std::vector<const EnabledAutomation*> match(const events::Event& event,
                                              const EventFacts& facts) const;

 private:
  struct Watch;
  std::map<EventType, std::vector<Watch>> watches_;
};

/// Returns true if the automation would match the event if it had been there before the event.
bool matchesEvent(const AutomationDraft& automation,
                  const events::Event& event,
                  const EventFacts& facts);

/// Returns true if the scope covers the subject.
bool covers(const Scope& scope, const events::Subject& subject);

/// Compares `value` with `threshold` by `gt`, `gte`, `lt`, `lte`, `eq` or `ne`. With a NaN, only
/// `ne` is true.
bool compares(std::string_view comparison, double value, double threshold);

/// Maps a run state to the states of RUN_STATE filters: CRASHED becomes FAILED.
std::string_view foldedRunState(std::string_view state);

}  // namespace spindle::automation
