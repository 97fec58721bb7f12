#pragma once

#include <memory>

#include "agents/store/ended_turn_tracker.h"
#include "agents/store/span_store.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/trace_store_stack.h"
#include "feedback/feedback_api.h"
#include "feedback/feedback_store.h"
#include "pricing/price_cache.h"
#include "tracing/metadata/annotation_item_repository.h"
#include "tracing/metadata/annotation_queue_repository.h"
#include "tracing/metadata/retention_repository.h"
#include "tracing/routes/tracing_api.h"
#include "tracing/store/call_store.h"

namespace spindle::app {

/// Calls, spans and feedback. Members are constructed in this order and
/// destroyed in reverse; the stacks passed to the constructor must outlive this object.
class TracingStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  TracingStack(const StackContext& context,
               IdentityStack& identity,
               ObjectStack& objects,
               pricing::PriceCache& prices,
               TraceStoreStack& stores);

  tracing::TracingServices services();
  feedback::FeedbackServices feedbackServices();

  agents::SpanStore& spans() { return spans_; }
  agents::EndedTurnTracker& endedTurns() { return stores_.endedTurns(); }
  tracing::CallStore& calls() { return calls_; }
  const feedback::FeedbackStore& feedback() const { return feedback_; }
  pricing::PriceCache& prices() { return prices_; }
  /// Aggregates the calls of a project in a time range; see tracing::measureCalls().
  Result<std::optional<double>> measure(const std::string& project_id,
                                        std::string_view measure,
                                        Timestamp from,
                                        Timestamp to);
  /// Returns the resolver of projects in references, with the permissions of one user.
  std::unique_ptr<objects::RefProjects> refProjects(std::string_view user_id);

  /// Applies retention.
  void runMaintenance();

 private:
  /// Deletes OpenTelemetry resources that no span or call refers to.
  void removeUnusedResources();

  IdentityStack& identity_;
  ObjectStack& objects_;
  pricing::PriceCache& prices_;
  const Clock& clock_;
  const tracing::IngestLimits limits_;
  TraceStoreStack& stores_;
  tracing::RetentionRepository retention_;
  tracing::AnnotationQueueRepository queues_;
  const feedback::EmojiNames emoji_;
  feedback::FeedbackStore& feedback_;
  const feedback::FeedbackValidator feedback_validator_;
  tracing::CallStore& calls_;
  agents::SpanStore& spans_;
  std::optional<std::chrono::steady_clock::time_point>
      next_resource_sweep_;  ///< used only by runMaintenance()
};

}  // namespace spindle::app
