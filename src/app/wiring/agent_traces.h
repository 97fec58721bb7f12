#pragma once

#include "app/wiring/tracing_stack.h"
#include "training/data/agent_traces.h"

namespace spindle::app {

/// Returns the source of agent traces for training data exports. `tracing` must outlive it.
training::AgentTraces agentTraces(TracingStack& tracing);

}  // namespace spindle::app
