#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "inference/usage.h"

namespace spindle::inference {

/// What the gateway wants to know of a whole answer.
struct AnswerFacts {
  bool is_object = false;  ///< JSON, and an object
  bool is_error = false;   ///< with an `error` and nothing to choose from
  std::optional<TokenUsage> usage = {};
  std::string message = {};  ///< of the error
};

AnswerFacts factsOf(std::string_view answer);

/// The usage that the last event of a stream to tell one tells. `events` may begin in the middle of
/// one.
std::optional<TokenUsage> usageInEvents(std::string_view events);

/// An error as one event of a stream, in the shape that OpenAI's clients raise.
std::string errorEvent(std::string_view message, std::string_view type);

}  // namespace spindle::inference
