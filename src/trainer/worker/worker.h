#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "base/crypto/secret.h"
#include "trainer/jobs/job.h"

namespace spindle::http {
class Client;
}

namespace spindle::trainer {

struct WorkerOptions {
  std::string server;  ///< `http://host:port`
  Secret key;
  std::string name;                    ///< worker name: unique, and the same after a restart
  std::string device = "cpu";          ///< device that trains: `cpu` or `cuda`
  std::string folder;                  ///< its own folder for job files and downloaded base models
  double seconds_between_states = 20;  ///< maximum work to repeat after a crash
  double idle_exit = 0;                ///< exit after this many seconds without a job; 0: never
};

/// Leases jobs from a server one after the other and runs them: the trainer's side of
/// docs/trainer_protocol.md. After a crash, a job resumes from the last state that was uploaded.
/// Releases a job that fails because of the trainer's own disk or device, so that another trainer
/// can try; after some releases, fails the job with a message.
class Worker {
 public:
  /// All arguments must outlive this object.
  Worker(http::Client& client,
         const WorkerOptions& options,
         JobRunner& runner,
         const std::atomic<bool>& stopping);

  /// Runs until `stopping` is true, then releases the current job.
  /// @return kUnauthenticated or kPermissionDenied if the key is not accepted; kNotFound if there
  ///     is no such server
  Result<void> run();

 private:
  void waitForOthers(std::chrono::seconds time) const;

  http::Client& client_;
  const WorkerOptions& options_;
  JobRunner& runner_;
  const std::atomic<bool>& stopping_;
};

}  // namespace spindle::trainer
