#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "evaluation/recording/finished_run_data.h"
#include "evaluation/recording/run_recorder.h"
#include "feedback/feedback_validator.h"
#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "objects/values/ref_projects_for_test.h"
#include "tracing/store/call_row.h"
#include "tracing/store/columnar_call_store.h"
#include "tracing/store/otel_resource_store.h"
#include "tracing/store/ref_values_for_test.h"

namespace spindle::evaluation {

/// Knows one project: acme/lab, with the internal id p1.
class SingleProjectForTest final : public objects::OneProjectForTest {
 public:
  SingleProjectForTest() : OneProjectForTest("acme/lab", "p1") {}
};

class NoMediaForTest final : public tracing::MediaStore {
 public:
  Result<std::string> keep(std::string_view /*bytes*/, std::string_view /*type*/) override {
    return std::string("svc-trace-internal:///p1/object/Content:abc");
  }
};

/// A fixture with a recorder on real stores in a temporary folder.
class RecorderTest : public ::testing::Test {
 protected:
  static constexpr const char* kEvaluation = "svc:///acme/lab/object/quiz:e1";
  static constexpr const char* kModel = "svc:///acme/lab/object/bot:m1";
  static constexpr const char* kAccuracy = "svc:///acme/lab/object/accuracy:s1";

  /// Returns a UUID that ends with this number.
  static std::string id(int number) {
    const std::string digits = std::to_string(number);
    return "018f4d10-5c00-7000-8000-" + std::string(12 - digits.size(), '0') + digits;
  }

  tracing::Call call(const std::string& call_id) {
    Result<std::unique_ptr<tracing::CallView>> view = calls_.view(scope_.project);
    EXPECT_TRUE(view);
    Result<std::optional<tracing::Call>> found = (*view)->find(call_id);
    EXPECT_TRUE(found && *found) << call_id;
    return found && *found ? **found : tracing::Call();
  }
  std::vector<tracing::Call> childrenOf(const std::string& parent) {
    Result<std::unique_ptr<tracing::CallView>> view = calls_.view(scope_.project);
    EXPECT_TRUE(view);
    tracing::CallQuery selection;
    selection.filter.parent_ids = std::vector<std::string>{parent};
    using tracing::CallColumn;
    Result<std::unique_ptr<tracing::CallReader>> reader =
        (*view)->read(selection, {}, {CallColumn::kId, CallColumn::kOpName, CallColumn::kOutput});
    EXPECT_TRUE(reader);
    std::vector<tracing::Call> children;
    for (;;) {
      Result<std::vector<tracing::Call>> batch = (*reader)->next();
      EXPECT_TRUE(batch);
      if (!batch || batch->empty()) return children;
      for (tracing::Call& child : *batch) children.push_back(std::move(child));
    }
  }

  template <class T>
  static T good(Result<T> result) {
    EXPECT_TRUE(result) << (result ? "" : result.error().message());
    return result ? *std::move(result) : T();
  }

  std::string run(int number) {
    return good(recorder_.createRun(
        scope_, {.evaluation = kEvaluation, .model = kModel, .id = id(number)}));
  }
  /// Records a finished prediction with an optional score of `accuracy`. Returns its ids.
  PredictionIds row(const std::string& run_id,
                    const std::string& inputs,
                    const std::string& output,
                    const std::optional<std::string>& score) {
    PredictionIds ids = good(recorder_.recordPrediction(
        scope_, {.model = kModel, .inputs = inputs, .output = output, .run_id = run_id}));
    if (score) {
      good(recorder_.recordScore(scope_, {.prediction_id = ids.prediction_id,
                                          .scorer = kAccuracy,
                                          .value = *score,
                                          .run_id = run_id}));
    }
    EXPECT_TRUE(recorder_.finishPrediction(scope_, ids.prediction_id));
    return ids;
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  columnar::StoreForTest store_{
      {tracing::callFamily(), feedback::feedbackFamily(), tracing::otelResourceFamily()}};
  tracing::NoRefValuesForTest values_;
  tracing::ColumnarCallStore calls_{*store_, 0, 2, tracing::CallJoins{values_}};
  feedback::ColumnarFeedbackStore feedback_{*store_, 1};
  feedback::EmojiNames emoji_{""};
  feedback::FeedbackValidator validator_{
      {.clock = clock_,
       .emoji = emoji_,
       .object_value = [](std::string_view, std::string_view, std::string_view)
           -> Result<std::string> { return Error::notFound("Object not found"); },
       .queue_exists = [](std::string_view, std::string_view) -> Result<bool> { return false; }}};
  RunScope scope_{.project = {"p1", "acme/lab"}, .user_id = "u1"};
  std::vector<std::string> finished_events_;  ///< event data of finished runs
  bool events_fail_ = false;
  RunRecorder recorder_{
      {.calls = calls_,
       .feedback = feedback_,
       .feedback_validator = validator_,
       .ref_projects = [](std::string_view) { return std::make_unique<SingleProjectForTest>(); },
       .media_store = [](std::string_view,
                         const tracing::ProjectScope&,
                         wire::Spelling) { return std::make_unique<NoMediaForTest>(); },
       .retention_days = [](std::string_view) -> Result<std::optional<std::int64_t>> {
         return std::optional<std::int64_t>();
       },
       .clock = clock_,
       .finished = [this](const FinishedRun& run) -> Result<void> {
         if (events_fail_) return Error::unavailable("The database is busy.");
         finished_events_.push_back(finishedRunData(run));
         return {};
       }}};
};

}  // namespace spindle::evaluation
