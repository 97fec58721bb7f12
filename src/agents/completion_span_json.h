#pragma once

#include <optional>
#include <string>

#include "agents/span.h"
#include "base/time.h"

namespace spindle::agents {

/// On whose behalf the server itself asked a model.
enum class CompletionSource {
  kPlayground,  ///< a person, trying something
  kSignal,      ///< something that judges what was traced
};

/// A chat completion that the server made. JSON texts are as OpenAI's API has them.
struct Completion {
  CompletionSource source = CompletionSource::kPlayground;
  std::string request;
  std::string response = {};                ///< empty without one
  std::optional<std::string> failure = {};  ///< why there is none
  Timestamp started_at;
  std::optional<Timestamp> ended_at = {};  ///< none while it is streamed
  std::string user_id = {};
  std::string conversation_id = {};
};

/// The completion as a step of an agent, in a trace of its own.
AgentSpan spanOfCompletion(const Completion& completion);

}  // namespace spindle::agents
