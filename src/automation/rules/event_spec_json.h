#pragma once

#include <string>

#include "automation/rules/event_spec.h"

namespace spindle::automation {

/// Returns the JSON object of a normalized specification, without unset members.
std::string eventText(const EventSpec& event);
/// Parses the output of eventText().
EventSpec eventSpecOf(const std::string& text);

}  // namespace spindle::automation
