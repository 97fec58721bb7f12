#include "inference/engines/engine_status.h"

namespace spindle::inference {

std::string_view textOf(EngineState state) {
  switch (state) {
    case EngineState::kStopped:
      return "stopped";
    case EngineState::kInspecting:
      return "inspecting";
    case EngineState::kWaiting:
      return "waiting";
    case EngineState::kStarting:
      return "starting";
    case EngineState::kReady:
      return "ready";
    case EngineState::kDraining:
      return "draining";
    case EngineState::kStopping:
      return "stopping";
    case EngineState::kBackingOff:
      return "backing_off";
    case EngineState::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace spindle::inference
