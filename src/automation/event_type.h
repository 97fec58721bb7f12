#pragma once

#include <span>

#include "automation/scope_type.h"
#include "events/event.h"

namespace spindle::automation {

using events::EventType;
using events::eventTypeOf;
using events::textOf;

/// What an automation can wait for.
std::span<const EventType> eventTypes();

/// Whether something of that kind can be waited for in such a scope.
bool happensIn(EventType type, ScopeType scope);
/// Whether it can be waited for anywhere.
bool canBeAwaited(EventType type);

}  // namespace spindle::automation
