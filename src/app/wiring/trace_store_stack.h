#pragma once

#include <memory>

#include "agents/store/ended_turn_tracker.h"
#include "app/traces/trace_stores.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/stack_context.h"
#include "tracing/metadata/annotation_item_repository.h"
#include "tracing/store/object_ref_values.h"

namespace spindle::app {

/// The stores of calls, spans, feedback, run history and gateway usage, and what they use. Members
/// are constructed in this order and destroyed in reverse; all arguments must outlive this object.
class TraceStoreStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  TraceStoreStack(const StackContext& context, IdentityStack& identity, ObjectStack& objects);

  TraceStores& stores() { return *stores_; }
  agents::EndedTurnTracker& endedTurns() { return ended_turns_; }
  tracing::AnnotationItemRepository& queueItems() { return queue_items_; }
  tracing::RefValues& refValues() { return ref_values_; }

  /// Keeps the files of the stores unchanged for copying; see TraceStores::hold().
  Result<std::unique_ptr<columnar::StoreHold>> hold() { return stores_->hold(); }

  /// Deletes the data of deleted projects.
  void runMaintenance();

 private:
  IdentityStack& identity_;
  tracing::AnnotationItemRepository queue_items_;
  tracing::ObjectRefValues ref_values_;
  agents::EndedTurnTracker ended_turns_;
  const std::unique_ptr<TraceStores> stores_;
};

}  // namespace spindle::app
