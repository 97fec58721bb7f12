#pragma once

#include <optional>
#include <string>

#include "agents/store/span.h"
#include "base/core/time.h"

namespace spindle::agents {

/// The reason why the server itself sent a model request.
enum class CompletionSource {
  kPlayground,  ///< a person tries a prompt
  kSignal,      ///< a scorer rates traced data
};

/// A chat completion that the server requested. JSON texts are in the format of OpenAI's API.
struct Completion {
  CompletionSource source = CompletionSource::kPlayground;
  std::string request;
  std::string response = {};                ///< empty after a failure
  std::optional<std::string> failure = {};  ///< the reason of a failure
  Timestamp started_at;
  std::optional<Timestamp> ended_at = {};  ///< nothing while it is streamed
  std::string user_id = {};
  std::string conversation_id = {};
};

/// Converts the completion to a span in a trace of its own.
AgentSpan spanOfCompletion(const Completion& completion);

}  // namespace spindle::agents
