#pragma once

#include <span>

#include "automation/rules/scope_type.h"
#include "events/event.h"

namespace spindle::automation {

using events::EventType;
using events::eventTypeOf;
using events::textOf;

/// Returns the event types that an automation can use.
std::span<const EventType> eventTypes();

/// Returns true if automations of this scope type can use the event type.
bool canOccurIn(EventType type, ScopeType scope);
/// Returns true if automations of any scope type can use the event type.
bool isWatchable(EventType type);

}  // namespace spindle::automation
