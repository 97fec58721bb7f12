// Compares the results of generated queries on the embedded store and on ClickHouse.

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "feedback/clickhouse/clickhouse_feedback_for_test.h"
#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "query/codec.h"
#include "query/generated_query_for_test.h"
#include "schema/parse.h"
#include "statistics/buckets.h"

namespace spindle::feedback {
namespace {

using query::GeneratedField, query::QueryGenerator;
using Texts = std::vector<std::string>;

/// More with SPINDLE_TEST_QUERIES in the environment.
int comparedQueries() {
  const char* const value = std::getenv("SPINDLE_TEST_QUERIES");  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? 300 : std::atoi(value);               // NOLINT(cert-err34-c)
}

Timestamp at(std::int64_t second) { return timestampOfMicros(second * 1'000'000); }

/// Values of payloads, and the literals that they are compared with. Whole numbers have no
/// fraction: only the embedded store keeps the text of 1.0 inside an object.
const Texts kValues = {"1",
                       "10",
                       "2.5",
                       "-3",
                       "0",
                       R"("1")",
                       R"("10")",
                       R"("")",
                       R"("text")",
                       "true",
                       "false",
                       "null",
                       "[]",
                       R"(["a","b",1])",
                       R"({"b":1,"c":"x"})",
                       R"("Äpfel")",
                       R"("a\"b\n")",
                       "1e3",
                       R"("2.5")",
                       R"("true")"};
const Texts kLiterals = {"1",       "10",         "2.5",       "0",      R"("1")",
                         R"("10")", R"("")",      R"("text")", R"("t")", "true",
                         "false",   R"("äPFEL")", R"("2.5")",  R"("a")"};

std::vector<GeneratedField> comparedFields() {
  const Texts words = {R"("a")", R"("b")", R"("")", R"("judge")", R"("svc.note.1")"};
  return {{"payload.v", kLiterals},
          {"payload.v.b", kLiterals},
          {"payload.v.0", kLiterals},
          {"payload", {R"("{}")", R"("text")"}, false},
          {"feedback_type", words},
          {"creator", words},
          {"runnable_ref", words},
          {"queue_id", words},
          {"created_at", {R"("1970-01-01T00:00:30Z")", "45", "12.5"}},
          {"scorer_tags", {R"("good")", R"("GO")", R"("fast")"}},
          {"scorer_ratings._rating_", {"0.5", "1", R"("1")"}},
          {"scorer_ratings.x.y", {"2", "0.25"}},
          {"project_id", {R"("team/project")", R"("other")"}},
          {"svc_user_id", words}};
}

std::vector<ProjectFeedback> comparedFeedback() {
  std::vector<ProjectFeedback> all;
  QueryGenerator choose(11, comparedFields());
  for (int i = 0; i < 240; ++i) {
    Feedback feedback;
    feedback.id = "f" + std::to_string(1000 + i);
    feedback.created_at = timestampOfMicros(static_cast<std::int64_t>(i) * 250'123);
    feedback.target_kind = kCallTarget;
    feedback.target_id = "c" + std::to_string(i % 7);
    feedback.svc_user_id = i % 3 == 0 ? "a" : "b";
    feedback.feedback_type = i % 4 == 0 ? "svc.note.1" : i % 4 == 1 ? "judge" : "a";
    if (i % 5 != 0) feedback.payload = R"({"v":)" + kValues[choose.below(kValues.size())] + "}";
    if (i % 3 == 1) feedback.creator = i % 2 == 0 ? "a" : "";
    if (i % 4 != 0) {
      feedback.runnable_ref = "svc-internal:///p/object/judge" + std::to_string(i % 3) + ":v1";
      feedback.trigger_ref = "svc-internal:///p/op/mon%20itor:v" + std::to_string(i % 2);
    }
    if (i % 6 == 0) feedback.queue_id = "b";
    if (i % 4 == 2) feedback.scorer_tags = {"good", i % 8 == 2 ? "fast" : "GO"};
    if (i % 3 == 2)
      feedback.scorer_ratings = R"({"_rating_":)" + std::to_string(i % 5) + R"(,"x.y":0.25})";
    feedback.span_agent_name = i % 2 == 0 ? "a" : "b";
    feedback.span_status_code = i % 9 == 0 ? "OK" : "UNSET";
    all.push_back({"p", std::move(feedback)});
  }
  return all;
}

class FeedbackComparison : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    clickhouse_ = std::make_unique<ClickHouseFeedbackForTest>();
    ASSERT_TRUE(clickhouse_->store().add(comparedFeedback()));
    ASSERT_TRUE(embedded_.add(comparedFeedback()));
  }

  /// Returns the total and the ids and texts of a query in order, or its error.
  static Texts resultOf(const FeedbackStore& store, const FeedbackQuery& request) {
    Result<std::unique_ptr<FeedbackReader>> reader = store.read("p", "team/project", request);
    if (!reader) return {reader.error().message()};
    Texts found = {std::to_string((*reader)->total())};
    while (true) {
      const Result<std::vector<FeedbackRow>> batch = (*reader)->next();
      if (!batch) return {batch.error().message()};
      if (batch->empty()) return found;
      for (const FeedbackRow& row : *batch) {
        found.push_back(row.feedback.id);
        for (const std::string& text : row.texts) found.back() += " " + text;
      }
    }
  }
  void expectSame(const FeedbackQuery& request, const std::string& shown) {
    EXPECT_EQ(resultOf(clickhouse_->store(), request), resultOf(embedded_, request)) << shown;
  }

  std::unique_ptr<ClickHouseFeedbackForTest> clickhouse_;
  columnar::StoreForTest columnar_{{feedbackFamily()}};
  ColumnarFeedbackStore embedded_{*columnar_, 0};
};

TEST_F(FeedbackComparison, GeneratedQueriesGiveTheSameFeedback) {
  QueryGenerator generator(5, comparedFields());
  int valid = 0;
  for (int i = 0; i < comparedQueries(); ++i) {
    const std::string expression = generator.next();
    FeedbackQuery request;
    Result<query::Query> parsed =
        schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
    if (!parsed) continue;
    ++valid;
    request.query = *std::move(parsed);
    if (i % 4 == 0) {
      request.limit = 20;
      request.offset = i % 3;
    }
    expectSame(request, expression);
    if (HasFailure()) return;
  }
  EXPECT_GT(valid, comparedQueries() / 2);
}

TEST_F(FeedbackComparison, OrdersAndTextsAreTheSame) {
  for (const GeneratedField& field : comparedFields()) {
    for (const bool descending : {false, true}) {
      FeedbackQuery request;
      // Numbers such as 1e3 inside an object have another text, and thereby another place.
      if (field.path != "payload") request.sort = {{field.path, descending}};
      if (field.path.starts_with("payload") || field.path.starts_with("scorer_ratings"))
        request.paths = {field.path};
      expectSame(request, field.path);
    }
  }
}

TEST_F(FeedbackComparison, AggregationsAreTheSame) {
  std::vector<FeedbackAggregateQuery> queries(9);
  queries[1].bucket_seconds = 7;
  queries[2].group_by = {GroupKey::kScorerId, GroupKey::kAgentName};
  queries[3].tags = {"good", "other"};
  queries[4].monitor_ids = {"mon itor"};
  queries[4].bucket_seconds = 10;
  queries[5].scorer_ids = {"judge1:v1", "judge*"};
  queries[6].rating_min = 1.5;
  queries[6].group_by = {GroupKey::kStatusCode};
  queries[7].type_prefixes = {"svc.", "ju"};
  queries[8].rating_max = 3;
  queries[8].agent_names = {"a"};
  for (FeedbackAggregateQuery& query : queries) {
    query.after = at(1);
    query.before = at(50);
    const auto expected = embedded_.aggregate("p", query);
    const auto found = clickhouse_->store().aggregate("p", query);
    ASSERT_TRUE(expected && found);
    ASSERT_EQ(found->size(), expected->size());
    for (std::size_t i = 0; i < found->size(); ++i) {
      const AggregateBucket& one = (*found)[i];
      const AggregateBucket& other = (*expected)[i];
      EXPECT_EQ(one.start_ms, other.start_ms);
      EXPECT_EQ(one.group, other.group);
      EXPECT_EQ(one.total_count, other.total_count);
      EXPECT_EQ(one.scored_count, other.scored_count);
      EXPECT_EQ(one.tag_counts, other.tag_counts);
      EXPECT_EQ(one.rating_counts, other.rating_counts);
      EXPECT_EQ(one.rating_sums, other.rating_sums);
    }
  }
}

TEST_F(FeedbackComparison, StatisticsAreTheSame) {
  FeedbackStatisticsQuery query;
  query.filter = {at(1), at(55)};
  query.buckets = statistics::cutIntoBuckets(at(1), at(55), 10, *statistics::loadTimeZone("UTC"));
  const std::vector<Aggregation> all = {
      Aggregation::kSum,   Aggregation::kAvg,       Aggregation::kMin,       Aggregation::kMax,
      Aggregation::kCount, Aggregation::kCountTrue, Aggregation::kCountFalse};
  query.metrics = {
      {.path = {"v"}, .key = "v", .aggregations = all, .percentiles = {0, 37.5, 50, 95, 100}},
      {.path = {"v"}, .key = "b", .value_type = ValueType::kBoolean, .aggregations = all},
      {.path = {"v", "b"}, .key = "n", .aggregations = all, .percentiles = {50}},
      {.path = {"v"}, .key = "c", .value_type = ValueType::kCategorical, .aggregations = all}};
  const auto written = [](const Statistics& statistics) {
    Texts texts;
    const auto add = [&texts](const std::vector<StatisticValue>& values) {
      for (const StatisticValue& value : values) {
        const std::string number =
            value.value ? std::to_string(std::round(*value.value * 1e6)) : "none";
        texts.push_back(value.metric + " " + value.name + " " + number);
      }
    };
    for (const StatisticsBucket& bucket : statistics.buckets) {
      texts.push_back(formatTimestamp(bucket.start) + " " + std::to_string(bucket.count));
      add(bucket.values);
    }
    add(statistics.window);
    return texts;
  };
  for (const bool judged : {false, true}) {
    if (judged) query.filter.feedback_type = "judge";
    const auto expected = embedded_.statistics("p", query);
    const auto found = clickhouse_->store().statistics("p", query);
    ASSERT_TRUE(expected && found);
    EXPECT_EQ(written(*found), written(*expected));
  }
}

}  // namespace
}  // namespace spindle::feedback
