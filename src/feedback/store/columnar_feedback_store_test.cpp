#include "feedback/store/columnar_feedback_store.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "columnar/testing/store_for_test.h"
#include "feedback/feedback_store_contract_for_test.h"
#include "feedback/store/feedback_row.h"
#include "query/codec.h"
#include "query/columnar_contract_for_test.h"
#include "query/compiler.h"
#include "schema/parse.h"

namespace spindle::feedback {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Columnar, FeedbackStoreContract, ::testing::Values([] {
      return std::make_unique<query::ColumnarForContract<FeedbackStore, ColumnarFeedbackStore>>(
          feedbackFamily());
    }));

/// Calls c1, c2 and c3 with feedback in project p.
class FeedbackOfCalls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }

  void SetUp() override {
    for (const char* id : {"c1", "c2", "c3"}) addCall(id);
    add("c1", "svc.reaction.1", R"({"emoji":"a"})");
    add("c1", "svc.reaction.1", R"({"emoji":"b"})");
    add("c1", "svc.runnable.judge", R"({"output":{"score":0.25}})");
    add("c2", "svc.runnable.judge", R"({"output":{"score":0.75}})");
  }

  void add(const std::string& call, const std::string& type, const std::string& payload) {
    Feedback feedback;
    feedback.id = "f" + std::to_string(++count_);
    feedback.created_at = timestampOfMicros(count_);
    feedback.target_kind = kCallTarget;
    feedback.target_id = call;
    feedback.feedback_type = type;
    feedback.payload = payload;
    if (type.starts_with("svc.runnable.")) feedback.runnable_ref = "run:" + call;
    ASSERT_TRUE(store_.add({{"p", std::move(feedback)}}));
  }

  /// Returns the matching calls in order, as `c1,c2`.
  std::string matches(const std::string& expression, const std::string& sort = "") {
    const Result<query::Query> query =
        schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
    if (!query) return "no query";
    Result<columnar::Snapshot> snapshot = columnar_->snapshot();
    if (!snapshot) return "no snapshot";
    const std::unique_ptr<query::Fields> fields = store_.callFields(*snapshot, "p");
    const Result<query::Sql> condition = query::compileCondition(*query, *fields);
    if (!condition) return condition.error().message();
    query::Sql sql("SELECT c.id FROM " + snapshot->from(1, "p") + " AS c WHERE ");
    sql.add(*condition).add(" ORDER BY ");
    if (!sort.empty()) {
      const Result<query::Sql> order = query::compileSort({{sort, true}}, *fields);
      if (!order) return order.error().message();
      sql.add(*order).add(", ");
    }
    Result<columnar::Cursor> rows = snapshot->query(sql.add("c.id").text, sql.params);
    if (!rows) return "failed: " + sql.text.text();
    std::string ids;
    for (Result<bool> more = rows->next(); more && *more; more = rows->next()) {
      ids += (ids.empty() ? "" : ",") + std::string(rows->text(0));
    }
    return ids;
  }

  static std::string test(const std::string& op,
                          const std::string& field,
                          const std::string& json) {
    return "{\"" + op + R"(":[{"$getField":")" + field + R"("},{"$literal":)" + json + "}]}";
  }

  columnar::StoreForTest columnar_{
      {feedbackFamily(),
       {"calls",
        {{"id", columnar::ColumnType::kText}, {"started_at", columnar::ColumnType::kTime}},
        0,
        1}}};
  ColumnarFeedbackStore store_{*columnar_, 0};

 private:
  void addCall(const std::string& id) {
    struct Put final : columnar::Change {
      std::string id;
      Result<void> plan(columnar::Plan& plan) override {
        plan.put(1, "p", {id, timestampOfMicros(0)});
        return {};
      }
    };
    Put put;
    put.id = id;
    ASSERT_TRUE(columnar_->write(put, 100));
  }

  int count_ = 0;
};

TEST_F(FeedbackOfCalls, MatchesAnyFeedback) {
  EXPECT_EQ(matches(test("$eq", "feedback.[svc.reaction.1].payload.emoji", "\"a\"")), "c1");
  EXPECT_EQ(matches(test("$eq", "feedback.[svc.reaction.1].payload.emoji", "\"b\"")), "c1");
  EXPECT_EQ(matches(test("$gt", "feedback.[svc.runnable.judge].payload.output.score", "0.1")),
            "c1,c2");
  EXPECT_EQ(matches(test("$gt", "feedback.[*].payload.output.score", "0.5")), "c2");
  EXPECT_EQ(matches(test("$eq", "feedback.[svc.runnable.judge].runnable_ref", "\"run:c2\"")), "c2");
}

TEST_F(FeedbackOfCalls, MatchesNullWithoutFeedback) {
  EXPECT_EQ(matches(test("$eq", "feedback.[svc.reaction.1].payload.emoji", "null")), "c2,c3");
  EXPECT_EQ(matches(test("$eq", "feedback.[svc.runnable.judge].trigger_ref", "null")), "c1,c2,c3");
}

TEST_F(FeedbackOfCalls, SortsCalls) {
  EXPECT_EQ(matches(R"({"$and":[{"$literal":true}]})",
                    "feedback.[svc.runnable.judge].payload.output.score"),
            "c2,c1,c3");
}

TEST_F(FeedbackOfCalls, RejectsUnknownFields) {
  const std::string refusal =
      " is not allowed. Use feedback.[type].payload.<path>, "
      "feedback.[type].runnable_ref or feedback.[type].trigger_ref.";
  EXPECT_EQ(matches(test("$eq", "feedback.[svc.note.1].creator", "1")),
            "Field feedback.[svc.note.1].creator" + refusal);
  EXPECT_EQ(matches(test("$eq", "feedback.note", "1")), "Field feedback.note" + refusal);
}

TEST_F(FeedbackOfCalls, IgnoresRemovedFeedback) {
  ASSERT_TRUE(columnar_->flush());
  ASSERT_TRUE(store_.remove("p", {"f3", "f4", "unknown"}));
  EXPECT_EQ(matches(test("$gt", "feedback.[svc.runnable.judge].payload.output.score", "0")), "");
}

}  // namespace
}  // namespace spindle::feedback
