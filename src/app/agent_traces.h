#pragma once

#include "app/tracing_stack.h"
#include "training/agent_traces.h"

namespace spindle::app {

/// Traces of agents for those who train on them. `tracing` must outlive it.
training::AgentTraces agentTraces(TracingStack& tracing);

}  // namespace spindle::app
