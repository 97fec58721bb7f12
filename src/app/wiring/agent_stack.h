#pragma once

#include "agents/api/agents_api.h"
#include "agents/store/turn_event_publisher.h"
#include "agents/store/turn_repository.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/tracing_stack.h"
#include "base/core/time.h"
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
  void start() { turn_publisher_.start(); }
  void stop() { turn_publisher_.stop(); }

 private:
  IdentityStack& identity_;
  TracingStack& tracing_;
  const Clock& clock_;
  agents::TurnRepository turns_;
  agents::TurnEventPublisher turn_publisher_;
};

}  // namespace spindle::app
