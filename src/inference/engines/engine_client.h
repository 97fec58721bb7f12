#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/core/result.h"
#include "inference/engines/engine_fleet.h"

namespace spindle::http {
class Client;
}

namespace spindle::inference {

/// Returns `unix:<socket>:<target>`.
std::string engineUrl(const std::string& socket, std::string_view target);

/// HTTP client of the engines: checks their health and loads and unloads adapters. No call blocks.
/// Callbacks run on the client's own thread and must not block. Thread-safe.
class EngineClient {
 public:
  /// @param probe_limit timeout of a health check.
  explicit EngineClient(std::chrono::milliseconds probe_limit);
  /// Returns after every callback has run.
  ~EngineClient();
  EngineClient(const EngineClient&) = delete;
  EngineClient& operator=(const EngineClient&) = delete;

  void probe(const std::string& socket, std::function<void(Result<EngineHealth>)> done);
  /// Loads an adapter. Passes to the callback kInvalidArgument for a file that the engine cannot
  /// load, or kUnavailable.
  void loadAdapter(const std::string& socket,
                   const AdapterFile& adapter,
                   std::function<void(Result<void>)> done);
  void dropAdapter(const std::string& socket, const std::string& name, std::function<void()> done);

 private:
  const std::chrono::milliseconds probe_limit_;
  const std::unique_ptr<http::Client> client_;
};

}  // namespace spindle::inference
