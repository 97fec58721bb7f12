#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inference/catalogue/enum_texts.h"

namespace spindle::inference {

enum class EngineState {
  kStopped,     ///< no process; the next request starts it
  kInspecting,  ///< the model file is being inspected
  kFetching,    ///< the model file is being fetched from the blob store
  kWaiting,     ///< waits until other engines free memory
  kStarting,    ///< the model is being loaded
  kReady,
  kDraining,    ///< will be unloaded when its last request ends
  kStopping,    ///< was told to stop
  kBackingOff,  ///< crashed; not restarted before the back-off ends
  kFailed,      ///< the model file cannot be loaded; retried when the file or the model changes
};

inline constexpr EnumTexts<EngineState, 10> kEngineStates = {{
    {EngineState::kStopped, "stopped"},
    {EngineState::kInspecting, "inspecting"},
    {EngineState::kFetching, "fetching"},
    {EngineState::kWaiting, "waiting"},
    {EngineState::kStarting, "starting"},
    {EngineState::kReady, "ready"},
    {EngineState::kDraining, "draining"},
    {EngineState::kStopping, "stopping"},
    {EngineState::kBackingOff, "backing_off"},
    {EngineState::kFailed, "failed"},
}};
std::string_view textOf(EngineState state);

/// A snapshot of the state of an engine.
struct EngineStatus {
  std::string model;  ///< name in the catalogue
  EngineState state = EngineState::kStopped;
  double progress = 0;                ///< fetched or loaded share of the model, from 0 to 1
  int pid = 0;                        ///< 0: no process
  std::uint64_t memory = 0;           ///< needed memory in bytes, as far as known
  std::chrono::milliseconds age{0};   ///< time since the last state change
  std::int64_t restarts = 0;          ///< number of restarts after crashes
  std::string last_error = {};        ///< reason of the last crash or failed start
  std::vector<std::string> adapters;  ///< the loaded adapters
  std::size_t leases = 0;             ///< number of requests that use the engine
  std::size_t waiting = 0;            ///< number of requests that wait for the engine
};

}  // namespace spindle::inference
