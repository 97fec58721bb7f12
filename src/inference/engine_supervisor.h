#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/child_process.h"
#include "base/metrics.h"
#include "base/result.h"
#include "inference/engine_fleet.h"
#include "inference/engine_host.h"
#include "inference/model_directory.h"
#include "inference/socket_folder.h"

namespace spindle::inference {

class EngineClient;

struct EngineOptions {
  std::string executable;        ///< `spindle-engine`, absolute
  std::string data_folder;       ///< sockets are under it
  std::string temporary_folder;  ///< or under this one when that path is too long
  std::size_t slots = 4;         ///< answers of one engine at a time
  std::int64_t context = 8192;   ///< tokens of each, for models that do not say their own
  int threads = 0;               ///< of one engine; 0: it decides
  std::chrono::milliseconds probe_limit{5'000};  ///< for an engine to say how it is
  FleetLimits limits = {};
  bool sandbox = false;             ///< engines restrict themselves
  std::string adapter_folder = {};  ///< which they may read then, beside the model
};

/// Runs engines as child processes: the thin shell around EngineFleet. Thread-safe. A thread of its
/// own starts and ends processes and looks at files; whoever calls never waits for that.
class EngineSupervisor final : public EngineHost {
 public:
  /// The catalogue at this moment; asked every now and then.
  using Catalogue = std::function<std::shared_ptr<const Directory>()>;

  /// @param quarantine records adapters that ended an engine; null: nobody does. Outlives this.
  /// @throws std::runtime_error when there can be no sockets.
  EngineSupervisor(const EngineOptions& options,
                   Catalogue catalogue,
                   MetricRegistry& metrics,
                   AdapterQuarantine* quarantine = nullptr);
  /// As stop().
  ~EngineSupervisor() override;
  EngineSupervisor(const EngineSupervisor&) = delete;
  EngineSupervisor& operator=(const EngineSupervisor&) = delete;

  /// From now on engines run; first those that are to from the beginning.
  void start();
  /// Ends all engines and waits for it; who waits for one is refused. Leases may outlive it.
  void stop();

  void acquire(std::shared_ptr<const Model> model,
               std::shared_ptr<const AdapterFile> adapter,
               Ready ready) override;

  /// Those that have been wanted since the start, by name.
  std::vector<EngineStatus> engines() const;
  /// As EngineFleet::unload().
  Result<void> unload(std::string_view model);
  /// Forgets a quarantine that could not be recorded.
  void forgetQuarantine(const std::string& adapter);

 private:
  class Core;

  void run();
  void followCatalogue();
  void inspect(std::uint64_t engine, const Model& model);
  void startProcess(EngineRun run, const Model& model);
  void probe(EngineRun run);
  void loadAdapter(EngineRun run, std::shared_ptr<const AdapterFile> adapter);
  void dropAdapter(EngineRun run, const std::string& name);
  void recordQuarantine(const AdapterCrash& crash);
  void publish();
  std::int64_t contextOf(const Model& model) const;

  const EngineOptions options_;
  const Catalogue catalogue_;
  MetricRegistry& metrics_;
  AdapterQuarantine* const quarantine_;
  const SocketFolder sockets_;
  const std::shared_ptr<Core> core_;  ///< shared with leases
  std::unique_ptr<EngineClient> client_;

  // The thread's own.
  std::map<std::uint64_t, std::unique_ptr<ChildProcess>> processes_;  ///< by run
  std::shared_ptr<const Directory> followed_;

  std::thread thread_;
};

}  // namespace spindle::inference
