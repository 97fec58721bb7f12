#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/secret.h"

namespace spindle::http {
class Client;
}

namespace spindle::inference {

class Balancer;

/// Whom to ask whether it is alive.
struct HealthTarget {
  std::string upstream_id;
  std::string url;   ///< as the balancer knows it
  std::string path;  ///< behind the URL; empty: not asked
  Secret key = {};   ///< sent as a bearer token; may be empty
};

struct HealthOptions {
  std::chrono::milliseconds interval{5'000};  ///< between two rounds, give or take a fifth
  std::chrono::milliseconds timeout{2'000};   ///< for one answer
};

/// Asks every upstream from time to time whether it is alive, and tells the balancer. Whoever
/// answers is alive, whatever it says, except with a 5xx: an upstream need not have the path. An
/// upstream that has not answered yet is not asked again.
///
/// The thread starts in start() and ends in the destructor, which waits for no answer.
class UpstreamHealthClient {
 public:
  /// The upstreams as they are now. Called on the thread of round(); must not block.
  using Targets = std::function<std::vector<HealthTarget>()>;

  /// The client and the balancer must outlive this.
  UpstreamHealthClient(http::Client& client,
                       Balancer& balancer,
                       Targets targets,
                       HealthOptions options = {});
  ~UpstreamHealthClient();
  UpstreamHealthClient(const UpstreamHealthClient&) = delete;
  UpstreamHealthClient& operator=(const UpstreamHealthClient&) = delete;

  /// Asks in the background from now on.
  void start();
  /// Asks every upstream once, without waiting for the answers. `done` is called when the last has
  /// come, at once or on the client's I/O thread: it must not block.
  void round(std::function<void()> done = {});

 private:
  struct Shared;
  struct Round;

  void ask(const HealthTarget& target, const std::shared_ptr<Round>& round);

  http::Client& client_;
  const Targets targets_;
  const HealthOptions options_;
  /// Outlives this in the callbacks of answers that nobody waits for.
  const std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace spindle::inference
