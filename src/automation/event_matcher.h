#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "automation/automation.h"
#include "automation/event_facts_json.h"
#include "automation/event_spec.h"
#include "automation/pattern.h"
#include "base/time.h"

namespace spindle::automation {

/// An enabled automation, as far as events concern it.
struct WatchingAutomation {
  std::string id;
  std::string name;
  Scope scope;
  EventType event_type = EventType::kLinkArtifact;
  EventSpec event;
  Action action;
  /// Position of the newest event when it was created, enabled or changed: only later ones match.
  std::int64_t active_after = 0;
};

/// Who waits for what: the enabled automations, ready to be asked for many events. Immutable,
/// thread-safe.
class EventMatcher {
 public:
  explicit EventMatcher(std::vector<WatchingAutomation> automations);
  ~EventMatcher();
  EventMatcher(const EventMatcher&) = delete;
  EventMatcher& operator=(const EventMatcher&) = delete;

  /// The automations that the event concerns. Valid as long as this.
  std::vector<const WatchingAutomation*> match(const events::Event& event,
                                               const EventFacts& facts) const;

 private:
  struct Watch;
  std::map<EventType, std::vector<Watch>> watches_;
};

/// Whether what happens to the subject lies in the scope.
bool covers(const Scope& scope, const events::Subject& subject);

/// `value` against `threshold` by one of `gt`, `gte`, `lt`, `lte`, `eq`, `ne`. With a NaN only `ne`
/// holds.
bool compares(std::string_view comparison, double value, double threshold);

/// The state of a run as RUN_STATE filters know it: a crash is a failure.
std::string_view foldedRunState(std::string_view state);

}  // namespace spindle::automation
