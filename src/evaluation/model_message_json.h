#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "evaluation/model_port.h"

namespace spindle::evaluation {

// Chat completions as they go over the wire. Pure.

/// The body of POST …/chat/completions.
std::string completionBody(const ModelRequest& request);

/// What an upstream answered. @return kUpstream for what is no chat completion.
Result<ModelAnswer> completionAnswer(std::string_view body, std::string_view asked_model);

/// The `error.message` of an answer, cut to what may stand in an exception; empty without one.
std::string completionError(std::string_view body);

/// The summary of the call that made it: `{"usage": {model: {"requests": 1, …}}}`.
std::string usageSummary(const ModelAnswer& answer);

}  // namespace spindle::evaluation
