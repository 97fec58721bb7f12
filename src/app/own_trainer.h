#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/secret.h"
#include "config/settings.h"
#include "http/authentication.h"
#include "http/router.h"
#include "http/server.h"
#include "storage/data_folder.h"
#include "training/local_trainer.h"
#include "training/training_api.h"

namespace spindle::app {

/// The trainer that the server starts on its own machine. It takes jobs as every other one does,
/// but through a socket that is for this user alone, with a key that exists in memory only:
/// whatever the server listens on, and whoever may do what there, does not concern it.
class OwnTrainer {
 public:
  /// @param model_files the files of base models, which the trainer may read
  /// `services` must outlive this. @throws std::runtime_error when the socket cannot be made.
  OwnTrainer(const config::TrainingSettings& settings,
             const storage::DataFolder& folder,
             const training::TrainingServices& services,
             const http::RoutePolicy& policy,
             std::function<bool()> is_wanted,
             std::function<std::vector<std::string>()> model_files);

  /// What it calls itself to the server, now and after a restart.
  const std::string& name() const { return name_; }

  void start();
  /// There may be work.
  void wake() { trainer_.wake(); }
  void stop();

 private:
  class Doorkeeper final : public http::Authenticator {
   public:
    explicit Doorkeeper(const Secret& key) : key_(key) {}
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
  const Doorkeeper door_;
  http::Router router_;
  MetricRegistry metrics_;  ///< nobody asks for them
  http::Server server_;
  training::LocalTrainer trainer_;
};

}  // namespace spindle::app
