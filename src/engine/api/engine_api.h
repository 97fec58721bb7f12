#pragma once

#include <chrono>
#include <string>

#include "base/core/time.h"
#include "engine/chat/chat_template.h"
#include "engine/runtime/embedder.h"
#include "engine/runtime/model.h"
#include "engine/runtime/scheduler.h"
#include "http/router/router.h"

namespace spindle::engine {

/// The parts of the engine that its routes use. All must outlive the routes.
struct EngineParts {
  std::string name;  ///< model name in requests
  const Model& model;
  const ChatTemplate& chat_template;
  Scheduler* scheduler = nullptr;  ///< null for a model that does not generate
  Embedder* embedder = nullptr;    ///< null when embeddings are disabled
  const Clock& clock;
  std::chrono::seconds longest{600};  ///< time limit of a completion
};

/// Returns the policy of all routes of the engine: no authentication, errors in the format of
/// OpenAI.
http::RoutePolicy enginePolicy();

/// Returns the error for a model or adapter that is not loaded.
Error modelNotFound();

/// Adds `/v1/models`, `/v1/chat/completions`, `/v1/completions`, `/v1/embeddings` and
/// `/adapters/{name}`. The routes have no authentication: only the server on the same machine uses
/// the engine.
void addEngineRoutes(http::Router& router, const EngineParts& parts);

}  // namespace spindle::engine
