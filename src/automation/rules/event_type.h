#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "automation/rules/scope_type.h"
#include "events/event.h"

namespace spindle::automation {

using events::EventType;
using events::eventTypeOf;
using events::textOf;

/// Whether a request may have a member.
enum class Presence { kForbidden, kOptional, kRequired };

/// The filters of an event type: members of EventSpec.
struct FilterRules {
  Presence alias_regex = Presence::kForbidden;
  Presence tag_regex = Presence::kForbidden;
  Presence run_filter = Presence::kForbidden;
  Presence metric = Presence::kForbidden;
  Presence states = Presence::kForbidden;
  Presence score = Presence::kForbidden;

  bool operator==(const FilterRules&) const = default;
};

/// The members of the metric condition of an event type: members of MetricSpec.
struct MetricRules {
  Presence aggregation = Presence::kForbidden;
  Presence window = Presence::kForbidden;
  Presence comparison = Presence::kForbidden;
  Presence threshold = Presence::kForbidden;
  Presence change_windows = Presence::kForbidden;  ///< current_window, prior_window
  Presence change = Presence::kForbidden;          ///< change_type, amount
  Presence direction = Presence::kForbidden;
  bool positive_threshold = false;
  std::span<const std::string_view> names = {};  ///< the metrics that exist; empty: any

  bool operator==(const MetricRules& other) const {
    return aggregation == other.aggregation && window == other.window &&
           comparison == other.comparison && threshold == other.threshold &&
           change_windows == other.change_windows && change == other.change &&
           direction == other.direction && positive_threshold == other.positive_threshold &&
           names.data() == other.names.data();
  }
};

/// The subject of the events of a type: the groups of variables that their payloads have.
struct EventSubject {
  bool version = false;     ///< an artifact version and its collection
  bool collection = false;  ///< a collection alone
  bool alias = false;
  bool tag = false;
  bool run = false;
  bool training_job = false;
  bool error = false;
};

/// A row of the table of event types: the subject, and the scopes and filters of automations.
struct EventTypeRow {
  EventType type = {};
  std::uint8_t scopes = 0;  ///< a bit for each ScopeType
  EventSubject subject = {};
  FilterRules filters = {};
  MetricRules metric = {};
};

/// Returns the event types that an automation can use.
std::span<const EventTypeRow> eventTypes();
/// Returns nothing for a type that automations cannot use.
const EventTypeRow* findEventType(EventType type);

/// Returns true if automations of this scope type can use the event type.
bool canOccurIn(EventType type, ScopeType scope);
/// Returns true if automations of any scope type can use the event type.
bool isWatchable(EventType type);

}  // namespace spindle::automation
