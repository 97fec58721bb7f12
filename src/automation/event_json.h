#pragma once

#include <string>

#include "automation/event_spec.h"

namespace spindle::automation {

/// The JSON object for a specification in its normal form, without members that are not set.
std::string eventText(const EventSpec& event);
/// What eventText() wrote.
EventSpec eventSpecOf(const std::string& text);

}  // namespace spindle::automation
