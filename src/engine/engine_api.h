#pragma once

#include <chrono>
#include <string>

#include "base/time.h"
#include "engine/chat_template.h"
#include "engine/embedder.h"
#include "engine/model.h"
#include "engine/scheduler.h"
#include "http/router.h"

namespace spindle::engine {

/// All outlive the routes.
struct EngineParts {
  std::string name;  ///< of the model, as requests name it
  const Model& model;
  const ChatTemplate& chat_template;
  Scheduler* scheduler = nullptr;  ///< null for a model that does not generate
  Embedder* embedder = nullptr;    ///< null when it makes no embeddings
  const Clock& clock;
  std::chrono::seconds longest{600};  ///< an answer
};

/// The error for a model or adapter that is not here.
Error modelNotFound();

/// `/v1/models`, `/v1/chat/completions`, `/v1/completions`, `/v1/embeddings`, `/adapters/{name}`.
/// The engine is for the server on the same machine alone: it knows no keys.
void addEngineRoutes(http::Router& router, const EngineParts& parts);

}  // namespace spindle::engine
