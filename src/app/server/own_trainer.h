#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/core/metrics.h"
#include "base/crypto/secret.h"
#include "config/settings.h"
#include "http/router/authentication.h"
#include "http/router/router.h"
#include "http/server/server.h"
#include "storage/folder/data_folder.h"
#include "training/api/training_api.h"
#include "training/trainers/local_trainer.h"

namespace spindle::app {

/// The trainer process that the server starts on its own machine. It leases jobs as other trainers
/// do, but through a Unix socket that only this user can open, with an API key that exists only in
/// memory. It does not depend on the listen address of the server or on users and roles.
class OwnTrainer {
 public:
  /// @param is_wanted returns true while a trainer is needed
  /// @param model_files returns the files of base models, which the trainer may read
  /// `services` must outlive this object. @throws std::runtime_error when the socket cannot be
  /// created.
  OwnTrainer(const config::TrainingSettings& settings,
             const std::string& worker,
             const storage::DataFolder& folder,
             const training::TrainingServices& services,
             const http::RoutePolicy& policy,
             std::function<bool()> is_wanted,
             std::function<std::vector<std::string>()> model_files);

  /// Returns the worker name of the trainer, which stays the same after a restart.
  const std::string& name() const { return name_; }

  void start();
  /// Checks for jobs: the queue may have a new one.
  void wake() { trainer_.wake(); }
  void stop();

 private:
  class TrainerAuthenticator final : public http::Authenticator {
   public:
    explicit TrainerAuthenticator(const Secret& key) : key_(key) {}
    Result<http::Principal> authenticate(std::string_view api_key) const override;

   private:
    const Secret& key_;
  };

  training::LocalTrainerCommand commandOf(
      const config::TrainingSettings& settings,
      const storage::DataFolder& folder,
      std::function<std::vector<std::string>()> model_files) const;

  const std::string name_;
  const Secret key_;
  const std::string socket_;
  const TrainerAuthenticator authenticator_;
  http::Router router_;
  MetricRegistry metrics_;  ///< not exposed
  http::Server server_;
  training::LocalTrainer trainer_;
};

}  // namespace spindle::app
