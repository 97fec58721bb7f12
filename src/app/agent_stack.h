#pragma once

#include "agents/agents_api.h"
#include "app/identity_stack.h"
#include "app/tracing_stack.h"
#include "base/time.h"

namespace spindle::app {

/// What agents did: how it comes in and how it is read. The stacks below must outlive it.
class AgentStack {
 public:
  AgentStack(IdentityStack& identity, TracingStack& tracing, const Clock& clock)
      : identity_(identity), tracing_(tracing), clock_(clock) {}

  agents::AgentServices services();

 private:
  IdentityStack& identity_;
  TracingStack& tracing_;
  const Clock& clock_;
};

}  // namespace spindle::app
