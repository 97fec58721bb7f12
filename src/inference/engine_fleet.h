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

#include "base/child_process.h"
#include "base/result.h"
#include "inference/adapter_blame.h"
#include "inference/adapter_quarantine.h"
#include "inference/adapter_shelf.h"
#include "inference/catalogue.h"
#include "inference/engine_host.h"
#include "inference/engine_status.h"

namespace spindle::inference {

/// One process of an engine; 0 is none.
struct EngineRun {
  std::uint64_t engine = 0;
  std::uint64_t run = 0;  ///< tells it from those before and after it, of all engines

  bool operator==(const EngineRun&) const = default;
};

/// A model's file as it was found.
struct ModelFileFacts {
  std::string stamp;       ///< another when the file is another
  std::uint64_t need = 0;  ///< bytes of memory that it will take
};

/// What an engine says about itself.
struct EngineHealth {
  bool ready = false;
  double progress = 0;             ///< share of the model that is loaded
  std::uint64_t memory_bytes = 0;  ///< 0: not said
};

/// The code with which an engine says that it cannot load the file.
inline constexpr int kUnloadableExit = 3;

/// The right to use an engine that was asked for.
struct EngineGrant {
  EngineRun run;
  std::string model;    ///< what to call it there
  std::string adapter;  ///< empty: none
};

struct FleetLimits {
  std::uint64_t memory = 0;                  ///< bytes for all engines together
  std::size_t adapters = 8;                  ///< of one engine at a time
  std::chrono::milliseconds idle_unload{0};  ///< 0: never
  std::chrono::milliseconds start_timeout{300'000};
  std::chrono::milliseconds stop_grace{5'000};  ///< between asking an engine to end and ending it
  std::chrono::milliseconds loading_probe{50};  ///< between questions while it loads
  std::chrono::milliseconds health_probe{3'000};
  int missed_probes = 3;  ///< in a row: the engine hangs
  std::chrono::milliseconds first_delay{1'000};
  std::chrono::milliseconds longest_delay{60'000};
  std::chrono::milliseconds good_run{60'000};  ///< after which crashes are counted anew
};

/// What the fleet has others do. Called from within its own calls: implementations note it down,
/// and report later.
class FleetHands {
 public:
  using Ticket = std::uint64_t;

  virtual ~FleetHands() = default;
  virtual void inspect(std::uint64_t engine, std::shared_ptr<const Model> model) = 0;
  virtual void start(EngineRun run, std::shared_ptr<const Model> model) = 0;
  virtual void stop(EngineRun run) = 0;  ///< asks it to end
  virtual void kill(EngineRun run) = 0;
  virtual void probe(EngineRun run) = 0;
  virtual void loadAdapter(EngineRun run, std::shared_ptr<const AdapterFile> adapter) = 0;
  virtual void dropAdapter(EngineRun run, const std::string& name) = 0;
  virtual void answer(Ticket ticket, Result<EngineGrant> grant) = 0;
  /// Records that no engine loads the adapter any more; quarantineRecorded() says when it is.
  virtual void quarantine(AdapterCrash crash) = 0;
};

/// The engines of this machine as a state machine: who runs, who has to go, who has to wait. It
/// starts nothing itself and knows no clock: what happens is told to it, with the time, and what is
/// to be done goes to `hands`. Not thread-safe.
///
/// An engine that had been up is started again by itself after a crash, the first time at once; one
/// that never came up is started again when somebody asks and its delay is over.
///
/// A crash is blamed on the adapters that were being loaded or that requests used at that moment
/// (AdapterBlame). One that ends in a quarantine does not delay the next start: the base model is
/// not at fault.
class EngineFleet {
 public:
  using Time = AdapterShelf::Time;
  using Ticket = FleetHands::Ticket;

  /// `hands` outlives the fleet. `random` gives numbers from 0 up to 1.
  EngineFleet(const FleetLimits& limits, FleetHands& hands, std::function<double()> random);
  ~EngineFleet();
  EngineFleet(const EngineFleet&) = delete;
  EngineFleet& operator=(const EngineFleet&) = delete;

  /// Every ticket is answered once.
  void acquire(Ticket ticket,
               const std::shared_ptr<const Model>& model,
               std::shared_ptr<const AdapterFile> adapter,
               Time now);
  /// A grant is not used any more; of a process that is gone nothing happens. `broke`: the
  /// connection to the engine ended before the response did.
  void release(EngineRun run, const std::string& adapter, bool broke, Time now);
  /// Unloads a model as soon as nobody uses it; requests that come meanwhile start it anew. A
  /// failure is forgotten. @return kNotFound; kConflict `engine_starting` while requests wait for
  /// it.
  Result<void> unload(std::string_view model, Time now);
  /// The catalogue has changed: starts what is to run from the beginning, once, and unloads what is
  /// not in it any more, or is another file.
  void follow(const std::vector<std::shared_ptr<const Model>>& models, Time now);
  /// Ends all; nothing is started any more.
  void stop(Time now);

  // What the hands report.
  void inspected(std::uint64_t engine, Result<ModelFileFacts> facts, Time now);
  void started(EngineRun run, int pid);
  void exited(EngineRun run, const ChildExit& exit, Time now);
  void probed(EngineRun run, const Result<EngineHealth>& health, Time now);
  void adapterLoaded(EngineRun run, const std::string& name, const Result<void>& done, Time now);
  void adapterDropped(EngineRun run, const std::string& name, Time now);
  /// The quarantine is recorded where acquire() is asked for adapters: it need not be kept here.
  void quarantineRecorded(const std::string& name) { blame_.recorded(name); }

  /// Does what is due.
  void tick(Time now);
  /// When tick() is next wanted; the end of time when never.
  Time nextDue() const;
  /// True when no process is left.
  bool isQuiet() const;
  /// By name.
  std::vector<EngineStatus> engines(Time now) const;

 private:
  struct Waiter;
  struct Engine;
  /// What there would be without those that nobody uses, as many as it takes, the oldest first.
  struct Room {
    std::int64_t free = 0;
    std::vector<Engine*> going;
  };

  Engine& engineFor(const std::shared_ptr<const Model>& model, Time now);
  Engine* findRun(EngineRun run);
  void enter(Engine& engine, EngineState state, Time now);
  void inspect(Engine& engine, Time now);
  Room roomFor(const Engine& engine) const;
  void findRoom(Engine& engine, Time now);
  void startWaiting(Time now);
  void startProcess(Engine& engine, Time now);
  void stopProcess(Engine& engine, Time now);
  void hang(Engine& engine, std::string reason, Time now);
  void serve(Engine& engine, Time now);
  void settle(Engine& engine, Time now);
  std::vector<AdapterFile> suspectsOf(const Engine& engine) const;
  bool blame(const Engine& engine, const std::vector<AdapterFile>& suspects);
  void crashed(Engine& engine, bool was_up, bool by_adapter, Time now);
  std::chrono::milliseconds delayAfter(int crashes, bool was_up);
  void refuse(Engine& engine, const Error& error);
  Time dueOf(const Engine& engine) const;
  void tickOne(Engine& engine, Time now);

  const FleetLimits limits_;
  FleetHands& hands_;
  const std::function<double()> random_;
  bool stopped_ = false;
  std::uint64_t last_engine_ = 0;
  std::uint64_t last_run_ = 0;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::set<std::string>
      booted_;  ///< models that were started because they are to be from the start
  AdapterBlame blame_;
};

}  // namespace spindle::inference
