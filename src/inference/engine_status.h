#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::inference {

enum class EngineState {
  kStopped,     ///< not in memory; the next request starts it
  kInspecting,  ///< its file is being looked at
  kWaiting,     ///< for others to make room
  kStarting,    ///< the model is being loaded
  kReady,
  kDraining,    ///< will be unloaded as soon as nobody uses it
  kStopping,    ///< has been told to end
  kBackingOff,  ///< crashed; not started again for a while
  kFailed,      ///< its file cannot be loaded; started again when that or its row changes
};

/// `stopped`, `inspecting`, `waiting`, `starting`, `ready`, `draining`, `stopping`, `backing_off`,
/// `failed`.
std::string_view textOf(EngineState state);

/// An engine at one moment.
struct EngineStatus {
  std::string model;  ///< name in the catalogue
  EngineState state = EngineState::kStopped;
  double progress = 0;                ///< share of the model that is loaded
  int pid = 0;                        ///< 0: no process
  std::uint64_t memory = 0;           ///< bytes that it needs, as far as is known
  std::chrono::milliseconds age{0};   ///< since it is in this state
  std::int64_t restarts = 0;          ///< after crashes
  std::string last_error = {};        ///< why it last crashed or did not start
  std::vector<std::string> adapters;  ///< in its memory
  std::size_t leases = 0;             ///< requests that use it
  std::size_t waiting = 0;            ///< requests that wait for it
};

}  // namespace spindle::inference
