#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/time.h"
#include "engine/chat_template.h"
#include "engine/model.h"
#include "engine/scheduler.h"
#include "http/router.h"

namespace spindle::engine {

/// All outlive the routes.
struct EngineParts {
  std::string name;  ///< of the model, as requests name it
  const Model& model;
  const ChatTemplate& chat_template;
  Scheduler& scheduler;
  const Clock& clock;
  std::chrono::seconds longest{600};  ///< an answer
};

/// `/v1/models`, `/v1/chat/completions`, `/adapters/{name}`. The engine is for the
/// server on the same machine alone: it knows no keys.
void addEngineRoutes(http::Router& router, const EngineParts& parts);

}  // namespace spindle::engine
