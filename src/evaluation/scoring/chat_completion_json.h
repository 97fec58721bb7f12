#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "evaluation/scoring/model_port.h"

namespace spindle::evaluation {

// Conversion of chat completions to and from JSON. Pure functions.

/// Returns the body of POST …/chat/completions.
std::string completionBody(const ModelRequest& request);

/// Parses the response body of an upstream. @return kUpstream if it is not a chat completion.
Result<ModelAnswer> completionAnswer(std::string_view body, std::string_view asked_model);

/// Returns the `error.message` of a response body, shortened for an exception; empty without one.
std::string completionError(std::string_view body);

/// Returns the summary of the call: `{"usage": {model: {"requests": 1, …}}}`.
std::string usageSummary(const ModelAnswer& answer);

}  // namespace spindle::evaluation
