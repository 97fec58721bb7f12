#pragma once

#include "agents/agents_api.h"
#include "agents/turn_repository.h"
#include "agents/turn_teller.h"
#include "app/identity_stack.h"
#include "app/tracing_stack.h"
#include "base/time.h"
#include "events/outbox.h"

namespace spindle::app {

/// What agents did: how it is read, and events about it. Everything given must outlive it.
class AgentStack {
 public:
  AgentStack(IdentityStack& identity,
             TracingStack& tracing,
             events::Outbox& outbox,
             const Clock& clock);

  agents::AgentServices services();

  /// Tells turns that end from now on, and those that nobody was told of before.
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
