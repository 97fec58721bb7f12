#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/crypto/secret.h"

namespace spindle::http {
class Client;
}

namespace spindle::inference {

class Balancer;

/// An upstream to check.
struct HealthTarget {
  std::string upstream_id;
  std::string url;   ///< the URL that identifies it in the balancer
  std::string path;  ///< appended to the URL; empty: no health check
  Secret key = {};   ///< sent as a Bearer token; may be empty
};

struct HealthOptions {
  std::chrono::milliseconds interval{5'000};  ///< between two rounds, with 20 % jitter
  std::chrono::milliseconds timeout{2'000};   ///< of one health check
};

/// Checks the health of all upstreams periodically and reports the results to the balancer. Every
/// response except 5xx means healthy, because an upstream need not have the path. An upstream whose
/// last check is still in progress is skipped.
///
/// The thread starts in start() and ends in the destructor, which does not wait for responses.
class UpstreamHealthChecker {
 public:
  /// Returns the current upstreams. Called on the thread of round(); must not block.
  using Targets = std::function<std::vector<HealthTarget>()>;

  /// The client and the balancer must outlive this object.
  UpstreamHealthChecker(http::Client& client,
                        Balancer& balancer,
                        Targets targets,
                        HealthOptions options = {});
  ~UpstreamHealthChecker();
  UpstreamHealthChecker(const UpstreamHealthChecker&) = delete;
  UpstreamHealthChecker& operator=(const UpstreamHealthChecker&) = delete;

  /// Starts the periodic checks in the background.
  void start();
  /// Checks every upstream once, without waiting for the responses. Calls `done` after the last
  /// one, immediately or on the client's I/O thread; `done` must not block.
  void round(std::function<void()> done = {});

 private:
  struct Shared;
  struct Round;

  void ask(const HealthTarget& target, const std::shared_ptr<Round>& round);

  http::Client& client_;
  const Targets targets_;
  const HealthOptions options_;
  /// Shared with the callbacks of outstanding checks, which may outlive this object.
  const std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace spindle::inference
