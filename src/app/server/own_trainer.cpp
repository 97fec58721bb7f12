#include "app/server/own_trainer.h"

#include <cmath>
#include <filesystem>
#include <utility>

#include "app/server/program_folder.h"
#include "base/crypto/crypto.h"
#include "http/router/route_group.h"
#include "inference/engines/socket_folder.h"

namespace spindle::app {
namespace {

constexpr std::string_view kUser = "own-trainer";

std::string socketIn(const storage::DataFolder& folder) {
  const inference::SocketFolder sockets(folder.path(),
                                        std::filesystem::temp_directory_path().string());
  return sockets.path() + "/trainer.sock";
}

http::ServerOptions optionsOf(const std::string& socket) {
  http::ServerOptions options;
  options.unix_path = socket;
  options.io_threads = 1;
  options.worker_threads = 2;
  options.access_log = false;
  options.limits.connections = 16;
  return options;
}

std::string secondsOf(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::duration<double>(time).count());
}

}  // namespace

Result<http::Principal> OwnTrainer::TrainerAuthenticator::authenticate(
    std::string_view api_key) const {
  if (!equalInConstantTime(api_key, key_.reveal())) {
    return Error{ErrorCode::kUnauthenticated, "Only the server's own trainer may use this socket."};
  }
  http::Principal trainer;
  trainer.user_id = trainer.username = kUser;
  return trainer;
}

OwnTrainer::OwnTrainer(const config::TrainingSettings& settings,
                       const std::string& worker,
                       const storage::DataFolder& folder,
                       const training::TrainingServices& services,
                       const http::RoutePolicy& policy,
                       std::function<bool()> is_wanted,
                       std::function<std::vector<std::string>()> model_files)
    : name_("own:" + worker),
      key_(randomAlphanumeric(40)),
      socket_(socketIn(folder)),
      authenticator_(key_),
      router_({&authenticator_, nullptr, nullptr}),
      server_(optionsOf(socket_), router_, metrics_),
      trainer_(commandOf(settings, folder, std::move(model_files)), std::move(is_wanted)) {
  training::TrainingServices own = services;
  own.own_trainer = kUser;
  training::addTrainerRoutes({router_, own, policy});
  training::addTrainerContentRoutes({router_, own, policy});
}

training::LocalTrainerCommand OwnTrainer::commandOf(
    const config::TrainingSettings& settings,
    const storage::DataFolder& folder,
    std::function<std::vector<std::string>()> model_files) const {
  namespace fs = std::filesystem;
  training::LocalTrainerCommand command;
  command.executable = (settings.trainer_path.empty() ? programFolder() / "spindle-trainer"
                                                      : fs::absolute(settings.trainer_path))
                           .string();
  command.arguments = {"--server",
                       "unix:" + socket_,
                       "--name",
                       name_,
                       "--folder",
                       fs::absolute(folder.fileAt("trainer")).string(),
                       "--threads",
                       std::to_string(settings.threads),
                       "--idle-exit",
                       secondsOf(settings.idle_stop),
                       "--save-every",
                       secondsOf(settings.save_interval),
                       "--until-end-of-input"};
  const bool restricted = settings.sandbox == config::SandboxMode::kAuto;
  command.arguments.insert(command.arguments.end(), {"--sandbox", restricted ? "auto" : "off"});
  if (restricted) {
    command.more_arguments = [model_files = std::move(model_files)] {
      std::vector<std::string> arguments;
      for (std::string& file : model_files()) {
        arguments.emplace_back("--read");
        arguments.push_back(std::move(file));
      }
      return arguments;
    };
  }
  command.variables = {"SPINDLE_TRAINER_KEY=" + std::string(key_.reveal())};
  return command;
}

void OwnTrainer::start() {
  server_.start();
  trainer_.start();
}

void OwnTrainer::stop() {
  trainer_.stop();
  server_.stop();
}

}  // namespace spindle::app
