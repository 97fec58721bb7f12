#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "base/secret.h"
#include "trainer/job.h"

namespace spindle::http {
class Client;
}

namespace spindle::trainer {

struct WorkerOptions {
  std::string server;  ///< `http://host:port`
  Secret key;
  std::string name;    ///< of this worker: the same after a restart, and nobody else's
  std::string folder;  ///< its own: for what jobs need while they run, and bases that were fetched
  double seconds_between_states = 20;  ///< how much may have to be done again
  double idle_exit = 0;                ///< seconds without a job after which it ends; 0: never
};

/// Asks a server for jobs, one after the other, and runs them: the trainer's side of
/// docs/trainer_protocol.md. What it was doing when it died goes on from the last state that it
/// had brought to the server. A job that it cannot do for reasons of its own (its disk, its device)
/// it gives back, for others or a second try; after some tries it fails, and says so.
class Worker {
 public:
  /// All must outlive this.
  Worker(http::Client& client,
         const WorkerOptions& options,
         JobRunner& runner,
         const std::atomic<bool>& stopping);

  /// Until `stopping`; what is under way then goes back to the queue. @return kUnauthenticated or
  /// kPermissionDenied when the key is no good; kNotFound when there is no such server.
  Result<void> run();

 private:
  void leaveToOthers(std::chrono::seconds time) const;

  http::Client& client_;
  const WorkerOptions& options_;
  JobRunner& runner_;
  const std::atomic<bool>& stopping_;
};

}  // namespace spindle::trainer
