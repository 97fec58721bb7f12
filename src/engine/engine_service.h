#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "http/message.h"

namespace spindle::engine {

/// What stands in the answer to `/health` once there is a model.
struct EngineFacts {
  std::string model;  ///< as requests name it
  std::size_t slots = 0;
  std::int64_t context = 0;
  std::uint64_t memory_bytes = 0;  ///< weights and the memory of all slots
};

/// The engine as its server sees it. It listens before the model is there: until then `/health`
/// says how far it is and all else is refused for the moment. Thread-safe.
class EngineService final : public http::Service {
 public:
  /// The share of the model that is loaded.
  void tellProgress(float share) { progress_.store(share); }
  /// From now on `routes` answers everything but `/health`. Once; `routes` outlives the server.
  void open(const http::Service& routes, const EngineFacts& facts);

  http::Admission admit(const http::Request& head) const override;
  http::Response handle(http::Request& request) const override;

 private:
  http::Response health(const http::Service* routes) const;

  std::atomic<float> progress_{0};
  std::string facts_;  ///< written before routes_
  std::atomic<const http::Service*> routes_{nullptr};
};

}  // namespace spindle::engine
