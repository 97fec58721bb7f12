#include "feedback/clickhouse/clickhouse_feedback_store.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "feedback/clickhouse/clickhouse_feedback_for_test.h"
#include "feedback/feedback_store_contract_for_test.h"

namespace spindle::feedback {
namespace {

/// Suites of a server that is not available have no tests.
std::vector<std::function<std::unique_ptr<query::StoreForContract<FeedbackStore>>()>> stores() {
  if (!clickhouse::DatabaseForTest::isAvailable()) return {};
  return {[] { return std::make_unique<ClickHouseFeedbackForTest>(); }};
}

INSTANTIATE_TEST_SUITE_P(ClickHouse, FeedbackStoreContract, ::testing::ValuesIn(stores()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FeedbackStoreContract);

class ClickHouseFeedback : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    opened_ = std::make_unique<ClickHouseFeedbackForTest>();
  }
  ClickHouseFeedbackStore& store() { return opened_->store(); }
  ManualClock& clock() { return opened_->clock(); }
  void merge() { opened_->flush(); }

  static Feedback feedbackOf(const std::string& id,
                             const std::string& payload = "{}",
                             const std::string& call = "c1") {
    Feedback feedback;
    feedback.id = id;
    feedback.created_at = timestampOfMicros(1'000'000);
    feedback.target_kind = kCallTarget;
    feedback.target_id = call;
    feedback.feedback_type = "custom";
    feedback.payload = payload;
    return feedback;
  }
  /// Returns the ids and payloads of all feedback, as `f1={} f2={}`.
  std::string all() {
    std::string text;
    const Result<std::unique_ptr<FeedbackReader>> reader = store().read("p", "team/project", {});
    EXPECT_TRUE(reader) << reader.error().message();
    if (!reader) return text;
    while (true) {
      const Result<std::vector<FeedbackRow>> batch = (*reader)->next();
      EXPECT_TRUE(batch);
      if (!batch || batch->empty()) return text;
      for (const FeedbackRow& row : *batch)
        text += (text.empty() ? "" : " ") + row.feedback.id + "=" + row.feedback.payload;
    }
  }

  std::unique_ptr<ClickHouseFeedbackForTest> opened_;
};

TEST_F(ClickHouseFeedback, FeedbackThatIsSentAgainIsStoredOnce) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store().add({{"p", feedbackOf("f1", R"({"a":1})")}}));
  EXPECT_EQ(all(), R"(f1={"a":1})");
  merge();
  EXPECT_EQ(all(), R"(f1={"a":1})");
}

TEST_F(ClickHouseFeedback, TheLastWriteCountsWhateverTheClocksShow) {
  ASSERT_TRUE(store().add({{"p", feedbackOf("f1", R"({"a":1})")}}));
  clock().advance(-std::chrono::hours(1));
  ASSERT_TRUE(store().add({{"p", feedbackOf("f1", R"({"a":2})")}}));
  EXPECT_EQ(all(), R"(f1={"a":2})");
  clock().advance(-std::chrono::hours(1));
  ASSERT_TRUE(store().remove("p", {"f1"}));
  EXPECT_EQ(all(), "");
  clock().advance(-std::chrono::hours(1));
  ASSERT_TRUE(store().add({{"p", feedbackOf("f1", R"({"a":3})")}}));
  EXPECT_EQ(all(), R"(f1={"a":3})");
  merge();
  EXPECT_EQ(all(), R"(f1={"a":3})");
}

TEST_F(ClickHouseFeedback, OneWriteMayContainAnIdTwice) {
  ASSERT_TRUE(
      store().add({{"p", feedbackOf("f1", R"({"a":1})")}, {"p", feedbackOf("f1", R"({"a":2})")}}));
  EXPECT_EQ(all(), R"(f1={"a":2})");
  ASSERT_TRUE(store().replace("f1", {"p", feedbackOf("f1", R"({"a":3})")}));
  EXPECT_EQ(all(), R"(f1={"a":3})");
}

TEST_F(ClickHouseFeedback, TargetsAreThoseOfTheNewestRows) {
  ASSERT_TRUE(store().add({{"p", feedbackOf("f1", "{}", "c1")}}));
  ASSERT_TRUE(store().add({{"p", feedbackOf("f1", "{}", "c2")}}));
  EXPECT_TRUE(store().ofTargets("p", kCallTarget, {"c1"})->empty());
  EXPECT_EQ(store().ofTargets("p", kCallTarget, {"c1", "c2"})->at("c2").size(), 1U);
}

TEST_F(ClickHouseFeedback, ReadersNeverSeeHalfAReplacement) {
  ASSERT_TRUE(store().add({{"p", feedbackOf("f0")}}));
  std::atomic<bool> ended = false;
  std::thread writer([this, &ended] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(
          store().replace("f" + std::to_string(i), {"p", feedbackOf("f" + std::to_string(i + 1))}));
    }
    ended = true;
  });
  while (!ended) {
    const std::string seen = all();
    EXPECT_EQ(seen.find(' '), std::string::npos) << seen;
    EXPECT_FALSE(seen.empty());
  }
  writer.join();
  EXPECT_EQ(all(), "f20={}");
}

}  // namespace
}  // namespace spindle::feedback
