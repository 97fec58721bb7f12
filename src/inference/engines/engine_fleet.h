#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/process/child_process.h"
#include "inference/catalogue/catalogue.h"
#include "inference/engines/adapter_crash_tracker.h"
#include "inference/engines/adapter_quarantine.h"
#include "inference/engines/engine_host.h"
#include "inference/engines/engine_status.h"
#include "inference/engines/loaded_adapters.h"
#include "inference/model_files/model_file.h"

namespace spindle::inference {

/// Identifies one process of an engine; 0 means no process.
struct EngineRun {
  std::uint64_t engine = 0;
  std::uint64_t run = 0;  ///< unique among the processes of all engines

  bool operator==(const EngineRun&) const = default;
};

/// The health report of an engine.
struct EngineHealth {
  bool ready = false;
  double progress = 0;             ///< loaded share of the model, from 0 to 1
  std::uint64_t memory_bytes = 0;  ///< 0: not reported
};

/// The exit code of an engine that cannot load its model file.
inline constexpr int kUnloadableExit = 3;

/// The right of a request to use an engine.
struct EngineGrant {
  EngineRun run;
  std::string model;    ///< the name to use in requests to the engine
  std::string adapter;  ///< empty: no adapter
};

struct FleetLimits {
  std::uint64_t memory = 0;                  ///< bytes for all engines together
  std::size_t adapters = 8;                  ///< loaded adapters per engine
  std::chrono::milliseconds idle_unload{0};  ///< 0: never
  std::chrono::milliseconds start_timeout{300'000};
  std::chrono::milliseconds stop_grace{5'000};  ///< between the stop request and the kill
  std::chrono::milliseconds loading_probe{50};  ///< health check interval while the model loads
  std::chrono::milliseconds health_probe{3'000};
  int missed_probes = 3;  ///< consecutive failed checks after which the engine counts as hung
  std::chrono::milliseconds initial_backoff{1'000};
  std::chrono::milliseconds max_backoff{60'000};
  std::chrono::milliseconds stable_uptime{60'000};  ///< uptime after which the crash count restarts
};

/// The actions that the fleet requests. The fleet calls these methods from within its own calls:
/// implementations only queue the action and report its result later.
class FleetActions {
 public:
  using RequestId = std::uint64_t;

  virtual ~FleetActions() = default;
  virtual void inspect(std::uint64_t engine, std::shared_ptr<const Model> model) = 0;
  virtual void start(EngineRun run, std::shared_ptr<const Model> model) = 0;
  virtual void stop(EngineRun run) = 0;  ///< requests a graceful stop
  virtual void kill(EngineRun run) = 0;
  virtual void probe(EngineRun run) = 0;
  virtual void loadAdapter(EngineRun run, std::shared_ptr<const AdapterFile> adapter) = 0;
  virtual void dropAdapter(EngineRun run, const std::string& name) = 0;
  virtual void answer(RequestId request_id, Result<EngineGrant> grant) = 0;
  /// Stores the quarantine of the adapter, then reports quarantineRecorded().
  virtual void quarantine(AdapterCrash crash) = 0;
};

/// The state machine of all engines on this machine: it decides which engines start, stop and wait.
/// It starts no process and reads no clock: callers report events with their time, and the fleet
/// passes the resulting actions to `actions`. Not thread-safe.
///
/// After a crash, an engine that was ready restarts automatically, the first time immediately. An
/// engine that never became ready restarts at the next request after its back-off.
///
/// A crash counts against the adapters that were being loaded or used at that moment
/// (AdapterCrashTracker). A crash that leads to a quarantine does not delay the restart, because
/// the base model did not cause it.
class EngineFleet {
 public:
  using Time = LoadedAdapters::Time;
  using RequestId = FleetActions::RequestId;

  /// `actions` must outlive the fleet. `random` returns numbers in [0, 1).
  EngineFleet(const FleetLimits& limits, FleetActions& actions, std::function<double()> random);
  ~EngineFleet();
  EngineFleet(const EngineFleet&) = delete;
  EngineFleet& operator=(const EngineFleet&) = delete;

  /// Requests an engine for a model, with an adapter if one is given. The fleet answers every
  /// request exactly once.
  void acquire(RequestId request_id,
               const std::shared_ptr<const Model>& model,
               std::shared_ptr<const AdapterFile> adapter,
               Time now);
  /// Ends the use of a grant; has no effect if the process is gone. `broke` means that the
  /// connection to the engine ended before the response was complete.
  void release(EngineRun run, const std::string& adapter, bool broke, Time now);
  /// Unloads a model when its last request ends; requests that arrive in the meantime restart it.
  /// Clears a recorded failure. @return kNotFound; kConflict `engine_starting` while requests wait
  /// for the engine.
  Result<void> unload(std::string_view model, Time now);
  /// Applies a changed catalogue: starts the models with `start_at_boot`, each once, and unloads
  /// models that were removed or have another file.
  void applyCatalogue(const std::vector<std::shared_ptr<const Model>>& models, Time now);
  /// Stops all engines; no engine starts afterwards.
  void stop(Time now);

  // Results of the actions.
  /// Reports that an inspection waits until the model file is on this machine. Requests wait for it
  /// as long as for the start of an engine; later ones are rejected until the file is there.
  void fetching(std::uint64_t engine, double progress, Time now);
  void inspected(std::uint64_t engine, Result<ModelFileInfo> facts, Time now);
  void started(EngineRun run, int pid);
  void exited(EngineRun run, const ChildExit& exit, Time now);
  void probed(EngineRun run, const Result<EngineHealth>& health, Time now);
  void adapterLoaded(EngineRun run, const std::string& name, const Result<void>& done, Time now);
  void adapterDropped(EngineRun run, const std::string& name, Time now);
  /// Reports that the quarantine is stored. From then on the adapter is rejected before acquire(),
  /// and the fleet drops its own entry.
  void quarantineRecorded(const std::string& name) { crash_tracker_.recorded(name); }

  /// Performs all actions that are due.
  void tick(Time now);
  /// Returns the time of the next tick(); Time::max() if none is needed.
  Time nextDue() const;
  /// Returns true if no process is left.
  bool hasNoProcess() const;
  /// Returns the state of all engines, sorted by name.
  std::vector<EngineStatus> engines(Time now) const;

 private:
  struct Waiter;
  struct Engine;
  /// The memory that is available after stopping idle engines: as many as needed, the least
  /// recently used first.
  struct MemoryPlan {
    std::int64_t free = 0;
    std::vector<Engine*> going;
  };

  Engine& engineFor(const std::shared_ptr<const Model>& model, Time now);
  Engine* findRun(EngineRun run);
  void enter(Engine& engine, EngineState state, Time now);
  void inspect(Engine& engine, Time now);
  MemoryPlan planMemory(const Engine& engine) const;
  void claimMemory(Engine& engine, Time now);
  void rejectImpatient(Engine& engine, Time now);
  void startWaiting(Time now);
  void startProcess(Engine& engine, Time now);
  void stopProcess(Engine& engine, Time now);
  void killHung(Engine& engine, std::string reason, Time now);
  void grantWaiting(Engine& engine, Time now);
  void stopIfUnused(Engine& engine, Time now);
  std::vector<AdapterFile> suspectsOf(const Engine& engine) const;
  bool recordCrash(const Engine& engine, const std::vector<AdapterFile>& suspects);
  void crashed(Engine& engine, bool was_up, bool by_adapter, Time now);
  std::chrono::milliseconds delayAfter(int crashes, bool was_up);
  void rejectWaiting(Engine& engine, const Error& error);
  Time dueOf(const Engine& engine) const;
  void tickOne(Engine& engine, Time now);

  const FleetLimits limits_;
  FleetActions& actions_;
  const std::function<double()> random_;
  bool stopped_ = false;
  std::uint64_t last_engine_ = 0;
  std::uint64_t last_run_ = 0;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::set<std::string> booted_;  ///< ids of the models that `start_at_boot` has started
  AdapterCrashTracker crash_tracker_;
};

}  // namespace spindle::inference
