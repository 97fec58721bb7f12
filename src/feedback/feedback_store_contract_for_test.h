#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "feedback/feedback_store.h"
#include "query/codec.h"
#include "query/store_contract_for_test.h"
#include "schema/parse.h"
#include "statistics/buckets.h"

namespace spindle::feedback {

/// The tests that every implementation of FeedbackStore must pass; see query::StoreContract.
class FeedbackStoreContract : public query::StoreContract<FeedbackStore> {
 protected:
  static Timestamp at(std::int64_t second) { return timestampOfMicros(second * 1'000'000); }

  /// Returns feedback about a call, created `second` seconds after 1970.
  static Feedback about(const std::string& call,
                        const std::string& id,
                        std::int64_t second,
                        const std::string& payload = "{}") {
    Feedback feedback;
    feedback.id = id;
    feedback.created_at = at(second);
    feedback.target_kind = kCallTarget;
    feedback.target_id = call;
    feedback.feedback_type = "custom";
    feedback.payload = payload;
    return feedback;
  }

  void add(Feedback feedback, const std::string& project_id = "p") {
    ASSERT_TRUE(store().add({{project_id, std::move(feedback)}}));
  }

  static query::Query queryOf(const std::string& expression) {
    Result<query::Query> query =
        schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
    EXPECT_TRUE(query);
    return query ? *std::move(query) : query::Query();
  }

  static std::string compare(const std::string& op,
                             const std::string& field,
                             const std::string& literal) {
    return "{\"" + op + R"(":[{"$getField":")" + field + R"("},{"$literal":)" + literal + "}]}";
  }

  std::vector<FeedbackRow> rowsOf(const FeedbackQuery& request,
                                  const std::string& project_id = "p") {
    std::vector<FeedbackRow> rows;
    Result<std::unique_ptr<FeedbackReader>> reader =
        store().read(project_id, "team/project", request);
    EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
    if (!reader) return rows;
    total_ = (*reader)->total();
    while (true) {
      Result<std::vector<FeedbackRow>> batch = (*reader)->next();
      EXPECT_TRUE(batch);
      if (!batch || batch->empty()) return rows;
      for (FeedbackRow& row : *batch) rows.push_back(std::move(row));
    }
  }

  /// Returns the ids of the matching feedback in order, as `f1,f2`.
  std::string idsOf(const FeedbackQuery& request = {}, const std::string& project_id = "p") {
    std::string ids;
    for (const FeedbackRow& row : rowsOf(request, project_id)) {
      ids += (ids.empty() ? "" : ",") + row.feedback.id;
    }
    return ids;
  }

  /// Returns the error of a query, as its code and message.
  std::pair<ErrorCode, std::string> errorOf(const FeedbackQuery& request) {
    const Result<std::unique_ptr<FeedbackReader>> reader =
        store().read("p", "team/project", request);
    EXPECT_FALSE(reader);
    if (reader) return {};
    return {reader.error().code(), reader.error().message()};
  }

  std::int64_t total_ = 0;  ///< of the last rowsOf()
};

// NOLINTBEGIN(misc-definitions-in-headers): a test program includes this header in one file.

TEST_P(FeedbackStoreContract, ReadsEveryMember) {
  Feedback feedback = about("c1", "f1", 1, R"({"note":"fine"})");
  feedback.svc_ref = "ref";
  feedback.svc_user_id = "user";
  feedback.creator = "Ann";
  feedback.annotation_ref = "annotation";
  feedback.runnable_ref = "runnable";
  feedback.call_ref = "call";
  feedback.trigger_ref = "trigger";
  feedback.queue_id = "queue";
  feedback.scorer_tags = {"good", "fast"};
  feedback.scorer_tag_reasons = R"({"good":"short"})";
  feedback.scorer_tag_confidences = R"({"good":0.5})";
  feedback.scorer_ratings = R"({"_rating_":0.25})";
  feedback.scorer_rating_reasons = R"({"_rating_":"why"})";
  feedback.scorer_rating_confidences = R"({"_rating_":1})";
  feedback.span_agent_name = "agent";
  feedback.span_agent_version = "v1";
  feedback.span_status_code = "OK";
  feedback.span_conversation_id = "conversation";
  feedback.span_trace_id = "trace";
  feedback.scorer_trace_id = "scorer";
  const Feedback plain = about("c1", "f2", 2);
  add(feedback);
  add(plain);
  beforeAndAfterAFlush([&] {
    const std::vector<FeedbackRow> rows = rowsOf({});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_TRUE(rows[0].feedback == feedback);
    EXPECT_TRUE(rows[1].feedback == plain);
  });
}

TEST_P(FeedbackStoreContract, SeparatesProjects) {
  ASSERT_TRUE(store().add({{"p", about("c1", "f1", 1)}, {"q", about("c1", "f2", 2)}}));
  EXPECT_EQ(idsOf(), "f1");
  EXPECT_EQ(idsOf({}, "q"), "f2");
  EXPECT_EQ(idsOf({}, "empty"), "");
  ASSERT_TRUE(store().remove("p", {"f2"}));
  EXPECT_EQ(idsOf({}, "q"), "f2");
}

TEST_P(FeedbackStoreContract, ReplacesFeedbackOfTheSameId) {
  add(about("c1", "f1", 1, R"({"a":1})"));
  flush();
  add(about("c1", "f1", 1, R"({"a":2})"));
  const std::vector<FeedbackRow> rows = rowsOf({});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].feedback.payload, R"({"a":2})");
}

TEST_P(FeedbackStoreContract, RemovesFeedback) {
  add(about("c1", "f1", 1));
  add(about("c1", "f2", 2));
  flush();
  add(about("c1", "f3", 3));
  ASSERT_TRUE(store().remove("p", {"f1", "f3", "unknown"}));
  EXPECT_EQ(idsOf(), "f2");
  EXPECT_EQ(total_, 1);
}

TEST_P(FeedbackStoreContract, ReplacesFeedbackByAnother) {
  add(about("c1", "f1", 1));
  add(about("c1", "f2", 2));
  flush();
  ASSERT_TRUE(store().replace("f1", {"p", about("c1", "f3", 3)}));
  EXPECT_EQ(idsOf(), "f2,f3");
}

TEST_P(FeedbackStoreContract, FiltersSortsAndPages) {
  add(about("c1", "f1", 1, R"({"score":2})"));
  flush();
  add(about("c2", "f2", 2, R"({"score":10})"));
  add(about("c3", "f3", 3));
  EXPECT_EQ(idsOf(), "f1,f2,f3");
  EXPECT_EQ(idsOf({.sort = {{"payload.score", true}}}), "f2,f1,f3");
  EXPECT_EQ(idsOf({.sort = {{"created_at", true}}}), "f3,f2,f1");
  EXPECT_EQ(idsOf({.limit = 1, .offset = 1}), "f2");
  EXPECT_EQ(total_, 3);
  EXPECT_EQ(idsOf({.limit = 0}), "");
  EXPECT_EQ(total_, 3);
  EXPECT_EQ(idsOf({.query = queryOf(compare("$gt", "payload.score", "5"))}), "f2");
  EXPECT_EQ(total_, 1);
  EXPECT_EQ(idsOf({.query = queryOf(compare("$eq", "id", "\"f3\""))}), "f3");
  EXPECT_EQ(idsOf({.query = queryOf(compare("$eq", "project_id", "\"team/project\""))}),
            "f1,f2,f3");
}

TEST_P(FeedbackStoreContract, ReadsTextsAtPaths) {
  add(about("c1", "f1", 1, R"({"score":0.9,"deep":{"x":[1,"y"]}})"));
  const std::vector<FeedbackRow> rows =
      rowsOf({.paths = {"payload.score", "payload.deep.x.1", "payload.none"}});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].texts, (std::vector<std::string>{"0.9", "y", ""}));
}

TEST_P(FeedbackStoreContract, RejectsUnknownFields) {
  const std::pair<ErrorCode, std::string> unknown{ErrorCode::kInvalidArgument,
                                                  "Unknown field: colour"};
  EXPECT_EQ(errorOf({.query = queryOf(compare("$eq", "colour", "1"))}), unknown);
  EXPECT_EQ(errorOf({.sort = {{"colour", false}}}), unknown);
  EXPECT_EQ(errorOf({.paths = {"colour"}}), unknown);
}

TEST_P(FeedbackStoreContract, ReadsMoreThanOneBatch) {
  std::vector<ProjectFeedback> many;
  many.reserve(700);
  for (int i = 0; i < 700; ++i) many.push_back({"p", about("c1", "f" + std::to_string(i), i)});
  ASSERT_TRUE(store().add(std::move(many)));
  const std::vector<FeedbackRow> rows = rowsOf({});
  ASSERT_EQ(rows.size(), 700U);
  EXPECT_EQ(rows.back().feedback.id, "f699");
  EXPECT_EQ(total_, 700);
}

TEST_P(FeedbackStoreContract, GroupsFeedbackByTarget) {
  add(about("c1", "f1", 2));
  flush();
  add(about("c1", "f2", 1));
  add(about("c2", "f3", 3));
  Feedback turn = about("c3", "f4", 4);
  turn.target_kind = kTurnTarget;
  add(turn);
  const auto found = store().ofTargets("p", kCallTarget, {"c1", "c3", "unknown"});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  const std::vector<Feedback>& list = found->at("c1");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].id, "f2");
  EXPECT_EQ(list[1].id, "f1");
  const auto none = store().ofTargets("p", kCallTarget, {});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST_P(FeedbackStoreContract, CountsTagsAndRatings) {
  Feedback first = about("c1", "f1", 1);
  first.scorer_tags = {"good"};
  first.scorer_ratings = R"({"_rating_":0.25})";
  first.span_agent_name = "a";
  Feedback second = about("c1", "f2", 2);
  second.scorer_tags = {"good", "fast"};
  second.scorer_ratings = R"({"_rating_":0.5,"x":2})";
  second.span_agent_name = "a";
  Feedback third = about("c1", "f3", 11);
  third.span_agent_name = "b";
  for (const Feedback& feedback : {first, second, third}) add(feedback);

  FeedbackAggregateQuery query;
  query.after = at(1);
  query.before = at(12);
  const auto all = store().aggregate("p", query);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  const AggregateBucket& whole = all->front();
  EXPECT_EQ(whole.start_ms, std::nullopt);
  EXPECT_EQ(whole.total_count, 3);
  EXPECT_EQ(whole.scored_count, 2);
  EXPECT_EQ(whole.tag_counts, (std::map<std::string, std::int64_t>{{"fast", 1}, {"good", 2}}));
  EXPECT_EQ(whole.rating_counts, (std::map<std::string, std::int64_t>{{"_rating_", 2}, {"x", 1}}));
  EXPECT_EQ(whole.rating_sums, (std::map<std::string, double>{{"_rating_", 0.75}, {"x", 2.0}}));

  query.bucket_seconds = 10;
  query.group_by = {GroupKey::kAgentName};
  const auto buckets = store().aggregate("p", query);
  ASSERT_TRUE(buckets);
  ASSERT_EQ(buckets->size(), 2U);
  EXPECT_EQ((*buckets)[0].start_ms, 0);
  EXPECT_EQ((*buckets)[0].group.at("span_agent_name"), "a");
  EXPECT_EQ((*buckets)[0].total_count, 2);
  EXPECT_EQ((*buckets)[1].start_ms, 10'000);
  EXPECT_EQ((*buckets)[1].group.at("span_agent_name"), "b");
  EXPECT_EQ((*buckets)[1].scored_count, 0);

  query.before = at(11);
  query.rating_min = 0.3;
  const auto rated = store().aggregate("p", query);
  ASSERT_TRUE(rated);
  ASSERT_EQ(rated->size(), 1U);
  EXPECT_EQ(rated->front().total_count, 1);
}

TEST_P(FeedbackStoreContract, AggregatesPayloadValues) {
  add(about("c1", "f1", 1, R"({"score":1,"ok":true})"));
  add(about("c1", "f2", 2, R"({"score":"3","ok":false})"));
  add(about("c1", "f3", 3, R"({"score":"many"})"));
  Feedback other = about("c1", "f4", 4, R"({"score":100})");
  other.feedback_type = "other";
  add(other);
  FeedbackStatisticsQuery query;
  query.filter = {at(0), at(600), "custom"};
  query.buckets = statistics::cutIntoBuckets(at(0), at(600), 300, *statistics::loadTimeZone("UTC"));
  query.metrics = {{.path = {"score"},
                    .key = "score",
                    .aggregations = {Aggregation::kSum, Aggregation::kMin, Aggregation::kCount},
                    .percentiles = {50}},
                   {.path = {"ok"},
                    .key = "ok",
                    .value_type = ValueType::kBoolean,
                    .aggregations = {Aggregation::kCountTrue}}};
  const Result<Statistics> found = store().statistics("p", query);
  ASSERT_TRUE(found);
  const auto written = [](const std::vector<StatisticValue>& values) {
    std::string text;
    for (const StatisticValue& value : values) {
      text += value.metric + " " + value.name + (value.whole ? " whole " : " ") +
              (value.value ? std::to_string(*value.value) : "none") + "; ";
    }
    return text;
  };
  ASSERT_EQ(found->buckets.size(), 2U);
  EXPECT_EQ(found->buckets[0].start, at(0));
  EXPECT_EQ(found->buckets[0].count, 3);
  const std::string values =
      "score sum 4.000000; score min 1.000000; score count whole 2.000000; score p50 2.000000; "
      "ok count_true whole 1.000000; ";
  EXPECT_EQ(written(found->buckets[0].values), values);
  EXPECT_EQ(found->buckets[1].start, at(300));
  EXPECT_EQ(found->buckets[1].count, 0);
  EXPECT_EQ(written(found->buckets[1].values),
            "score sum 0.000000; score min none; score count whole 0.000000; score p50 none; "
            "ok count_true whole 0.000000; ");
  EXPECT_EQ(written(found->window), values);
}

TEST_P(FeedbackStoreContract, ListsPayloadsNewestFirst) {
  add(about("c1", "f1", 1, R"({"n":1})"));
  flush();
  add(about("c1", "f2", 2, R"({"n":2})"));
  add(about("c1", "f3", 3, R"({"n":3})"));
  const auto newest = store().payloads("p", {at(0), at(3)}, 10);
  ASSERT_TRUE(newest);
  EXPECT_EQ(*newest, (std::vector<std::string>{R"({"n":2})", R"({"n":1})"}));
  const auto limited = store().payloads("p", {at(0), at(10)}, 1);
  ASSERT_TRUE(limited);
  EXPECT_EQ(*limited, (std::vector<std::string>{R"({"n":3})"}));
}

// NOLINTEND(misc-definitions-in-headers)

}  // namespace spindle::feedback
