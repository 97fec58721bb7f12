#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/core/result.h"
#include "inference/catalogue/catalogue.h"

namespace spindle::inference {

/// A LoRA adapter file on this machine.
struct AdapterFile {
  std::string name;  ///< unique per content; contains only characters that a URL does not escape
  std::string path;  ///< the GGUF file
  /// The artifact version (`entity/project/collection:vN`) it first came from; shown to people.
  std::string artifact = {};
};

/// The right to use an engine. The engine is not unloaded while a lease exists.
class EngineLease {
 public:
  virtual ~EngineLease() = default;
  /// Returns the URL of its OpenAI-compatible API up to `/v1`: `unix:/path/to.sock:/v1` or
  /// `http://…/v1`.
  virtual const std::string& url() const = 0;
  /// Returns the `model` to use in requests: the base model or the adapter.
  virtual const std::string& model() const = 0;
  /// Reports that the connection ended before the response was complete: the engine may have
  /// crashed. Thread-safe.
  virtual void connectionBroken() {}
};

/// The engines on this machine, one per base model. An interface, so that the gateway can be tested
/// without processes. Thread-safe; no call blocks.
class EngineHost {
 public:
  using Ready = std::function<void(Result<std::shared_ptr<EngineLease>>)>;

  virtual ~EngineHost() = default;

  /// Starts the engine of a model if needed, loads the adapter (null for the base model alone) and
  /// calls `ready` exactly once, immediately or later, on any thread; `ready` must not block. It
  /// receives a lease, or kUnavailable (with `retry_after` if a retry makes sense) if the engine
  /// does not start or does not fit the memory limit, or kInvalidArgument for a file or adapter
  /// that cannot be loaded.
  virtual void acquire(std::shared_ptr<const Model> model,
                       std::shared_ptr<const AdapterFile> adapter,
                       Ready ready) = 0;
};

}  // namespace spindle::inference
