#pragma once

#include "agents/agents_api.h"
#include "agents/turn_repository.h"
#include "agents/turn_teller.h"
#include "app/identity_stack.h"
#include "app/tracing_stack.h"
#include "base/time.h"
#include "events/outbox.h"

namespace spindle::app {

/// Agent traces: the services that read them and the events about finished turns. All arguments
/// must outlive this object.
class AgentStack {
 public:
  AgentStack(IdentityStack& identity,
             TracingStack& tracing,
             events::Outbox& outbox,
             const Clock& clock);

  agents::AgentServices services();

  /// Starts to publish an event for each turn that ends, including earlier turns without an event.
  void start() { teller_.start(); }
  void stop() { teller_.stop(); }

 private:
  IdentityStack& identity_;
  TracingStack& tracing_;
  const Clock& clock_;
  agents::TurnRepository turns_;
  agents::TurnTeller teller_;
};

}  // namespace spindle::app
