#include "inference/engines/engine_status.h"

namespace spindle::inference {

std::string_view textOf(EngineState state) { return lookUp(kEngineStates, state, ""); }

}  // namespace spindle::inference
