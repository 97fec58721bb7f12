#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/error.h"
#include "inference/engines/engine_fleet.h"

namespace spindle::inference {

/// A request that waits for an engine.
struct EngineFleet::Waiter {
  RequestId request_id = 0;
  std::shared_ptr<const AdapterFile> adapter;
};

/// The state of one engine.
struct EngineFleet::Engine {
  explicit Engine(std::size_t adapters) : loaded_adapters(adapters) {}

  std::uint64_t id = 0;
  std::shared_ptr<const Model> model;
  EngineState state = EngineState::kStopped;
  bool retired = false;  ///< removed from the catalogue: stops when no request uses it
  Time since;            ///< in this state
  Time last_used;

  ModelFileInfo facts;
  std::uint64_t need = 0;        ///< memory as the engine reports it, else as the file needs it
  std::optional<Error> failure;  ///< permanent until the file changes
  std::string how;               ///< how the engine last crashed, for clients
  std::string last_error;        ///< the same with details, for admins

  std::uint64_t run = 0;  ///< number of the process; 0: no process
  int pid = 0;
  bool up = false;    ///< the process has been ready
  bool hung = false;  ///< the process was killed because it did not respond
  bool probing = false;
  double progress = 0;
  Time ready_at;
  Time deadline = Time::max();  ///< for starting or stopping
  Time probe_at;
  int missed = 0;
  std::size_t leases = 0;
  LoadedAdapters loaded_adapters;
  std::map<std::string, AdapterFile> files;  ///< the adapters that this process received
  /// Adapters of broken connections, which are reported shortly before the exit of the process.
  std::set<std::string> broken;

  int crashes = 0;          ///< consecutive crashes
  bool restarting = false;  ///< after a crash that led to a quarantine
  bool restarts_itself = false;
  std::int64_t restarts = 0;
  Time retry_at;

  std::vector<Waiter> waiters;

  EngineRun current() const { return {id, run}; }
  /// Returns true while the fleet waits for the result of inspect().
  bool isInspected() const {
    return state == EngineState::kInspecting || state == EngineState::kFetching;
  }
  bool isServing() const { return state == EngineState::kReady || state == EngineState::kDraining; }
  bool isIdle() const { return state == EngineState::kReady && leases == 0 && waiters.empty(); }
};

}  // namespace spindle::inference
