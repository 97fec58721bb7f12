#pragma once

#include "automation/payloads/payload_renderer.h"
#include "automation/rules/event_spec.h"

namespace spindle::automation {

/// Adds example values of the variables that events of this type have and `facts` lacks. The values
/// meet the conditions of `event` on states and metrics; aliases and tags are fixed texts, which
/// may not match its regular expressions.
void addExampleValues(EventType type, const EventSpec& event, PayloadFacts& facts);

}  // namespace spindle::automation
