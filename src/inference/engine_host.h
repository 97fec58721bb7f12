#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "inference/catalogue.h"

namespace spindle::inference {

/// A LoRA adapter on top of a base model: a folder or file on this machine.
struct AdapterFile {
  std::string name;  ///< unique for its content, in characters that a URL takes as they are
  std::string path;  ///< a GGUF adapter
  /// `entity/project/collection:vN` that it was first taken from; for people.
  std::string artifact = {};
};

/// The right to use an engine; while it lives the engine is not unloaded for others.
class EngineLease {
 public:
  virtual ~EngineLease() = default;
  /// Where its OpenAI dialect is, up to `/v1`: `unix:/path/to.sock:/v1` or `http://…/v1`.
  virtual const std::string& url() const = 0;
  /// What to call the model there: the base, or the adapter.
  virtual const std::string& model() const = 0;
  /// Says that the connection to the engine ended before the response did: the engine may have
  /// ended. Thread-safe.
  virtual void connectionBroke() {}
};

/// Engines on this machine, one for each base model. A port, so that the gateway can be tested
/// without processes. Thread-safe; nothing blocks.
class EngineHost {
 public:
  using Ready = std::function<void(Result<std::shared_ptr<EngineLease>>)>;

  virtual ~EngineHost() = default;

  /// Calls back once, at once or when the engine is up, on any thread; the callback must not block.
  /// An adapter is loaded first; null for the base model. @return through the callback:
  /// kUnavailable (with `retry_after` when trying again makes sense) when the engine does not start
  /// or the memory budget cannot hold it, kInvalidArgument for a file or adapter it cannot load.
  virtual void acquire(std::shared_ptr<const Model> model,
                       std::shared_ptr<const AdapterFile> adapter,
                       Ready ready) = 0;
};

}  // namespace spindle::inference
