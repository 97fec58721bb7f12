#pragma once

#include <string>

#include "automation/rules/event_spec.h"
#include "schema/type.h"

namespace spindle::automation {

/// Returns the schema of a specification, for requests and for stored text.
schema::Codec<EventSpec> eventSpecCodec();

/// Returns the rules of normalizeEvent() as JSON Schema. That function also accepts the words in
/// other cases.
std::string eventRules();

/// Returns the JSON object of a normalized specification, without unset members.
std::string eventText(const EventSpec& event);
/// Parses the output of eventText(). Returns an empty specification for any other text.
EventSpec eventSpecOf(const std::string& text);

}  // namespace spindle::automation
