#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "inference/usage/usage.h"

namespace spindle::inference {

/// The properties of a complete response body that the gateway uses.
struct ResponseSummary {
  bool is_object = false;  ///< the body is a JSON object
  bool is_error = false;   ///< it has an `error` and neither `choices` nor `data`
  std::optional<TokenUsage> usage = {};
  std::string message = {};  ///< the error message
};

/// Parses a complete response body.
ResponseSummary summarizeResponse(std::string_view answer);

/// Returns the usage in the last event of a stream that has one. `events` may begin in the middle
/// of an event.
std::optional<TokenUsage> usageInEvents(std::string_view events);

/// Returns an error as one event of a stream, in the form that OpenAI's clients raise.
std::string errorEvent(std::string_view message, std::string_view type);

}  // namespace spindle::inference
