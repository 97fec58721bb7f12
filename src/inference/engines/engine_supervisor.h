#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/result.h"
#include "base/process/child_process.h"
#include "inference/catalogue/catalogue_cache.h"
#include "inference/engines/engine_fleet.h"
#include "inference/engines/engine_host.h"
#include "inference/engines/socket_folder.h"
#include "inference/model_files/model_files.h"

namespace spindle::inference {

class EngineClient;

struct EngineOptions {
  std::string executable;   ///< absolute path of `spindle-engine`
  std::string data_folder;  ///< contains the sockets
  std::string
      temporary_folder;         ///< contains the sockets if the path of the data folder is too long
  std::size_t slots = 4;        ///< concurrent requests per engine
  std::int64_t context = 8192;  ///< tokens per slot, for models without a context length
  int threads = 0;              ///< threads per engine; 0: the engine decides
  std::chrono::milliseconds probe_limit{5'000};  ///< timeout of a health check
  FleetLimits limits = {};
  bool sandbox = false;             ///< engines run in a sandbox
  std::string adapter_folder = {};  ///< the folder that the sandbox may read besides the model
};

/// Runs engines as child processes, as EngineFleet decides. Thread-safe. Its own thread starts and
/// stops processes and reads files; callers never wait for it.
class EngineSupervisor final : public EngineHost {
 public:
  /// Returns the current catalogue; called periodically.
  using Catalogue = std::function<std::shared_ptr<const CatalogueSnapshot>()>;

  /// @param quarantine stores adapters that crashed an engine; null: they are not stored. Must
  /// outlive this object.
  /// @param files fetches model files of the blob store; null: models with such files do not
  /// start. Must outlive this object.
  /// @throws std::runtime_error if the socket folder cannot be used.
  EngineSupervisor(const EngineOptions& options,
                   Catalogue catalogue,
                   MetricRegistry& metrics,
                   AdapterQuarantine* quarantine = nullptr,
                   ModelFiles* files = nullptr);
  /// Calls stop().
  ~EngineSupervisor() override;
  EngineSupervisor(const EngineSupervisor&) = delete;
  EngineSupervisor& operator=(const EngineSupervisor&) = delete;

  /// Starts the thread, which starts the models with `start_at_boot`.
  void start();
  /// Stops all engines and waits for their end; rejects waiting requests. Leases may outlive the
  /// supervisor.
  void stop();

  void acquire(std::shared_ptr<const Model> model,
               std::shared_ptr<const AdapterFile> adapter,
               Ready ready) override;

  /// Returns the engines that were requested since the start, sorted by name.
  std::vector<EngineStatus> engines() const;
  /// As EngineFleet::unload().
  Result<void> unload(std::string_view model);
  /// Drops the in-memory entry of a quarantine.
  void clearQuarantine(const std::string& adapter);

 private:
  class Core;
  struct Process {
    std::unique_ptr<ChildProcess> child;
    LocalFile file;  ///< null for a file that is not in the cache
  };

  void run();
  void followCatalogue();
  void inspect(std::uint64_t engine, const std::shared_ptr<const Model>& model);
  void inspectFile(std::uint64_t engine, const Model& model, const std::string& path);
  void fetch(std::uint64_t engine, std::shared_ptr<const Model> model);
  void reportFetches();
  void reportInspected(std::uint64_t engine, Result<ModelFileInfo> facts);
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
  ModelFiles* const files_;
  const SocketFolder sockets_;
  const std::shared_ptr<Core> core_;  ///< shared with leases
  std::unique_ptr<EngineClient> client_;

  // Used only by the supervisor's thread.
  std::map<std::uint64_t, Process> processes_;        ///< by run
  std::map<std::uint64_t, StoredModelFile> fetches_;  ///< by engine
  std::shared_ptr<const CatalogueSnapshot> followed_;

  std::thread thread_;
};

}  // namespace spindle::inference
