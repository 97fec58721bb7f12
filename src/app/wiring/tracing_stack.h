#pragma once

#include <memory>

#include "agents/columnar/columnar_span_store.h"
#include "agents/store/ended_turn_tracker.h"
#include "app/wiring/columnar_stack.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/object_stack.h"
#include "feedback/feedback_api.h"
#include "feedback/store/columnar_feedback_store.h"
#include "pricing/price_cache.h"
#include "tracing/metadata/annotation_item_repository.h"
#include "tracing/metadata/annotation_queue_repository.h"
#include "tracing/metadata/retention_repository.h"
#include "tracing/routes/tracing_api.h"
#include "tracing/store/columnar_call_store.h"
#include "tracing/store/object_ref_values.h"

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
               ColumnarStack& columnar);

  tracing::TracingServices services();
  feedback::FeedbackServices feedbackServices();

  agents::SpanStore& spans() { return spans_; }
  agents::EndedTurnTracker& endedTurns() { return ended_turns_; }
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
  columnar::Store& store_;
  tracing::RetentionRepository retention_;
  tracing::AnnotationQueueRepository queues_;
  tracing::AnnotationItemRepository queue_items_;
  tracing::ObjectRefValues ref_values_;
  const feedback::EmojiNames emoji_;
  feedback::ColumnarFeedbackStore feedback_;
  const feedback::FeedbackValidator feedback_validator_;
  tracing::ColumnarCallStore calls_;
  agents::EndedTurnTracker ended_turns_;
  agents::ColumnarSpanStore spans_;
  std::optional<std::chrono::steady_clock::time_point>
      next_resource_sweep_;  ///< used only by runMaintenance()
};

}  // namespace spindle::app
