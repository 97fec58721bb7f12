#pragma once

#include "agents/columnar/columnar_span_store.h"
#include "agents/query/span_store_contract_for_test.h"
#include "agents/sql/span_row.h"
#include "agents/store/ended_turn_tracker.h"
#include "columnar/testing/store_for_test.h"
#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {

/// Spans and feedback in an embedded store in a temporary folder.
class ColumnarSpansForTest final : public SpanStoreUnderTest {
 public:
  ColumnarSpanStore& spans() override { return spans_; }
  feedback::FeedbackStore& feedback() override { return feedback_; }
  Result<void> flush() override { return store_->flush(); }
  columnar::Store& store() { return *store_; }

 private:
  columnar::StoreForTest store_{
      {spanFamily(), feedback::feedbackFamily(), tracing::otelResourceFamily()}};
  EndedTurnTracker turns_{1};
  ColumnarSpanStore spans_{*store_, {.spans = 0, .resources = 2, .feedback = 1}, &turns_};
  feedback::ColumnarFeedbackStore feedback_{*store_, 1};
};

}  // namespace spindle::agents
