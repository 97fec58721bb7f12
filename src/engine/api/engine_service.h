#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "http/message/message.h"

namespace spindle::engine {

/// The body of `/health` after the model is loaded.
struct EngineInfo {
  std::string status = "ok";
  std::string model = {};  ///< model name in requests
  std::int64_t slots = 0;
  std::int64_t context = 0;
  std::int64_t memory_bytes = 0;  ///< weights and the KV cache of all slots
};

/// The HTTP service of the engine. It handles requests before the model is loaded: until then
/// `/health` returns 503 with the progress, and all other requests get 503. Thread-safe.
class EngineService final : public http::Service {
 public:
  /// Sets the loaded share of the model, from 0 to 1.
  void setProgress(float share) { progress_.store(share); }
  /// Forwards all requests except `/health` to `routes`. Call it once; `routes` must outlive the
  /// server.
  void open(const http::Service& routes, const EngineInfo& info);

  http::Admission admit(const http::Request& head) const override;
  http::Response handle(http::Request& request) const override;

 private:
  http::Response health(const http::Service* routes) const;

  std::atomic<float> progress_{0};
  std::string info_json_;  ///< written before routes_ is set
  std::atomic<const http::Service*> routes_{nullptr};
};

}  // namespace spindle::engine
