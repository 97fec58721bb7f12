#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "inference/engine_fleet.h"

namespace spindle::http {
class Client;
}

namespace spindle::inference {

/// `unix:<socket>:<target>`.
std::string engineUrl(const std::string& socket, std::string_view target);

/// Asks engines how they are, and has them load adapters. Nothing blocks; callbacks come on a
/// thread of its own and must not block. Thread-safe.
class EngineClient {
 public:
  /// @param probe_limit how long an engine may take to say how it is
  explicit EngineClient(std::chrono::milliseconds probe_limit);
  /// Every callback has been called when it returns.
  ~EngineClient();
  EngineClient(const EngineClient&) = delete;
  EngineClient& operator=(const EngineClient&) = delete;

  void probe(const std::string& socket, std::function<void(Result<EngineHealth>)> done);
  /// @return through the callback: kInvalidArgument for a file that the engine cannot load;
  /// kUnavailable.
  void loadAdapter(const std::string& socket,
                   const AdapterFile& adapter,
                   std::function<void(Result<void>)> done);
  void dropAdapter(const std::string& socket, const std::string& name, std::function<void()> done);

 private:
  const std::chrono::milliseconds probe_limit_;
  const std::unique_ptr<http::Client> client_;
};

}  // namespace spindle::inference
