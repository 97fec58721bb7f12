#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto/id.h"
#include "inference/usage/usage_store.h"

// The tests that every implementation of UsageStore passes. A test file includes this header and
// instantiates the suite with a function that creates an empty store:
//
//     INSTANTIATE_TEST_SUITE_P(Columnar, UsageStoreContract,
//     ::testing::Values(columnarUsageStore));
namespace spindle::inference {

/// An implementation of UsageStore, and what it needs to run.
class UsageStoreUnderTest {
 public:
  virtual ~UsageStoreUnderTest() = default;
  virtual UsageStore& store() = 0;
  /// Closes the store, with everything on disk, and opens it again.
  virtual void reopen() = 0;
};

using UsageStoreFactory = std::unique_ptr<UsageStoreUnderTest> (*)();

class UsageStoreContract : public ::testing::TestWithParam<UsageStoreFactory> {
 protected:
  using days = std::chrono::days;
  using microseconds = std::chrono::microseconds;
  using milliseconds = std::chrono::milliseconds;

  static constexpr Timestamp kNoon =
      std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + std::chrono::hours(12);

  UsageStore& usage() { return implementation_->store(); }
  void reopen() { implementation_->reopen(); }

  /// Returns prices in dollars per token, by project and model.
  static Result<std::shared_ptr<const pricing::ProjectPrices>> pricesOf(
      std::string_view project_id) {
    pricing::Price price;
    price.llm_id = "small";
    price.tokens.prompt = project_id == "prj_2" ? 2.0 : 1.0;
    price.tokens.completion = 10.0;
    price.tokens.cache_read = 0.5;
    return std::make_shared<const pricing::ProjectPrices>(pricing::ProjectPrices::Tables{
        std::make_shared<const pricing::PriceTable>(std::vector<pricing::Price>{price})});
  }
  static UsageRecord recordOf(const std::string& project_id, const std::string& model) {
    UsageRecord record;
    record.id = newUuid(kNoon);
    record.request_id = "req";
    record.started_at = kNoon;
    record.team_id = "team_1";
    record.project_id = project_id;
    record.user_id = "usr_1";
    record.key_id = "spk_1";
    record.model = model;
    record.upstream = "vllm";
    record.operation = "chat";
    record.status = 200;
    record.counted = true;
    record.tokens = {.prompt = 100, .completion = 10, .cached = 40, .reasoning = 4};
    record.cost = 0.25;
    record.latency = milliseconds(100);
    record.first_token = milliseconds(20);
    return record;
  }
  static UsageReportQuery queryFor(std::vector<UsageKey> group_by) {
    UsageReportQuery asked;
    asked.from = kNoon - days(30);
    asked.to = kNoon + days(30);
    asked.group_by = std::move(group_by);
    asked.scope.everything = true;
    return asked;
  }
  UsageReport report(const UsageReportQuery& asked) {
    Result<UsageReport> answer = usage().report(asked, pricesOf);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? *std::move(answer) : UsageReport();
  }
  /// Returns the groups as `key key =requests …`.
  std::string requests(const UsageReportQuery& asked) {
    std::string text;
    for (const UsageRow& row : report(asked).rows) {
      for (const std::string& key : row.keys) text += key + " ";
      text += "=" + std::to_string(row.requests) + " ";
    }
    return text;
  }
  std::int64_t count(const UsageReportQuery& asked) { return report(asked).rows.at(0).requests; }

 private:
  const std::unique_ptr<UsageStoreUnderTest> implementation_ = GetParam()();
};

TEST_P(UsageStoreContract, ReportsZeroWithoutRequests) {
  ASSERT_TRUE(usage().write({}));
  const UsageReport total = report(queryFor({}));
  ASSERT_EQ(total.rows.size(), 1U);
  EXPECT_EQ(total.rows[0].requests, 0);
  EXPECT_EQ(total.rows[0].tokens, TokenUsage());
  EXPECT_EQ(total.rows[0].cost, 0);
  EXPECT_FALSE(total.rows[0].latency_p50);
  EXPECT_TRUE(report(queryFor({UsageKey::kDay})).rows.empty());
}

TEST_P(UsageStoreContract, SumsRequestsAndTokens) {
  UsageRecord failed = recordOf("prj_1", "small");
  failed.status = 503;
  failed.tokens = {};
  failed.latency = milliseconds(9000);
  failed.first_token.reset();
  UsageRecord left = recordOf("prj_1", "small");
  left.status = 499;
  ASSERT_TRUE(
      usage().write({recordOf("prj_1", "small"), recordOf("prj_2", "small"), failed, left}));
  const UsageReport total = report(queryFor({}));
  ASSERT_EQ(total.rows.size(), 1U);
  const UsageRow& row = total.rows[0];
  EXPECT_FALSE(total.has_more);
  EXPECT_EQ(row.requests, 4);
  EXPECT_EQ(row.errors, 1);
  EXPECT_EQ(row.cancelled, 1);
  EXPECT_EQ(row.tokens,
            (TokenUsage{.prompt = 300, .completion = 30, .cached = 120, .reasoning = 12}));
  EXPECT_EQ(row.unpriced, 0);
}

TEST_P(UsageStoreContract, ReportsTheCostAtCurrentProjectPrices) {
  ASSERT_TRUE(usage().write({recordOf("prj_1", "small"), recordOf("prj_1", "small"),
                             recordOf("prj_2", "small"), recordOf("prj_2", "free")}));
  // 60 prompt tokens were not cached, 40 were cached; the completion has 10 tokens.
  const double at_one = 60 * 1.0 + 40 * 0.5 + 10 * 10.0;
  const double at_two = 60 * 2.0 + 40 * 0.5 + 10 * 10.0;
  const UsageReport total = report(queryFor({}));
  EXPECT_DOUBLE_EQ(total.rows.at(0).cost, 2 * at_one + at_two);
  EXPECT_EQ(total.rows.at(0).unpriced, 1);
  const UsageReport by_project = report(queryFor({UsageKey::kProject}));
  ASSERT_EQ(by_project.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(by_project.rows[0].cost, 2 * at_one);
  EXPECT_DOUBLE_EQ(by_project.rows[1].cost, at_two);
  const UsageReport by_model = report(queryFor({UsageKey::kModel}));
  ASSERT_EQ(by_model.rows.size(), 2U);
  EXPECT_EQ(by_model.rows[0].keys[0], "free");
  EXPECT_EQ(by_model.rows[0].cost, 0);
  EXPECT_DOUBLE_EQ(by_model.rows[1].cost, 2 * at_one + at_two);
}

TEST_P(UsageStoreContract, GroupsByAnyKeys) {
  UsageRecord yesterday = recordOf("prj_1", "small");
  yesterday.started_at = kNoon - days(1);
  UsageRecord other = recordOf("prj_2", "large");
  other.user_id = "usr_2";
  other.key_id = "spk_2";
  ASSERT_TRUE(usage().write({yesterday, recordOf("prj_1", "small"), other}));
  EXPECT_EQ(requests(queryFor({UsageKey::kDay})), "2026-11-14 =1 2026-11-15 =2 ");
  EXPECT_EQ(requests(queryFor({UsageKey::kModel})), "large =1 small =2 ");
  EXPECT_EQ(requests(queryFor({UsageKey::kProject})), "prj_1 =2 prj_2 =1 ");
  EXPECT_EQ(requests(queryFor({UsageKey::kUser})), "usr_1 =2 usr_2 =1 ");
  EXPECT_EQ(requests(queryFor({UsageKey::kApiKey})), "spk_1 =2 spk_2 =1 ");
  EXPECT_EQ(requests(queryFor({UsageKey::kDay, UsageKey::kModel})),
            "2026-11-14 small =1 2026-11-15 large =1 2026-11-15 small =1 ");
  EXPECT_EQ(requests(queryFor({UsageKey::kUser, UsageKey::kProject, UsageKey::kDay})),
            "usr_1 prj_1 2026-11-14 =1 usr_1 prj_1 2026-11-15 =1 usr_2 prj_2 2026-11-15 =1 ");
}

TEST_P(UsageStoreContract, Filters) {
  UsageRecord other = recordOf("prj_2", "large");
  other.user_id = "usr_2";
  other.key_id = "spk_2";
  other.started_at = kNoon + days(1);
  ASSERT_TRUE(usage().write({recordOf("prj_1", "small"), recordOf("prj_1", "small"), other}));
  UsageReportQuery asked = queryFor({});
  asked.to = kNoon + days(1);
  EXPECT_EQ(count(asked), 2) << "the end is exclusive";
  asked.from = kNoon + microseconds(1);
  EXPECT_EQ(count(asked), 0);
  asked = queryFor({});
  asked.model = "large";
  EXPECT_EQ(count(asked), 1);
  asked = queryFor({});
  asked.project_id = "prj_1";
  EXPECT_EQ(count(asked), 2);
  asked.user_id = "usr_2";
  EXPECT_EQ(count(asked), 0);
  asked = queryFor({});
  asked.key_id = "spk_2";
  EXPECT_EQ(count(asked), 1);
}

TEST_P(UsageStoreContract, RestrictsReportsToTheScope) {
  UsageRecord mine = recordOf("prj_far", "small");
  mine.team_id = "team_far";
  UsageRecord of_team = recordOf("prj_2", "small");
  of_team.user_id = "usr_2";
  UsageRecord of_project = recordOf("prj_3", "small");
  of_project.user_id = "usr_2";
  of_project.team_id = "team_3";
  UsageRecord hidden = recordOf("prj_4", "small");
  hidden.user_id = "usr_2";
  hidden.team_id = "team_3";
  ASSERT_TRUE(usage().write({mine, of_team, of_project, hidden}));
  UsageReportQuery asked = queryFor({UsageKey::kProject});
  EXPECT_EQ(report(asked).rows.size(), 4U);
  asked.scope = {.user_id = "usr_1"};
  EXPECT_EQ(requests(asked), "prj_far =1 ");
  asked.scope = {.team_ids = {"team_1"}, .project_ids = {"prj_3"}, .user_id = "usr_1"};
  EXPECT_EQ(requests(asked), "prj_2 =1 prj_3 =1 prj_far =1 ");
  asked.scope = {.user_id = "usr_9"};
  EXPECT_EQ(requests(asked), "");
}

TEST_P(UsageStoreContract, ReportsLatenciesOfSuccessfulRequests) {
  std::vector<UsageRecord> records;
  for (int i = 1; i <= 101; ++i) {
    UsageRecord record = recordOf("prj_1", "small");
    record.latency = milliseconds(i - 1);
    record.first_token = microseconds(500 * (i - 1));
    records.push_back(record);
  }
  UsageRecord failed = recordOf("prj_1", "small");
  failed.status = 429;
  failed.latency = milliseconds(5000);
  records.push_back(failed);
  UsageRecord whole = recordOf("prj_1", "other");
  whole.first_token.reset();
  records.push_back(whole);
  ASSERT_TRUE(usage().write(records));
  const UsageReport by_model = report(queryFor({UsageKey::kModel}));
  ASSERT_EQ(by_model.rows.size(), 2U);
  const UsageRow& other = by_model.rows[0];
  EXPECT_DOUBLE_EQ(other.latency_p99.value(), 100);
  EXPECT_FALSE(other.first_token_p50);
  const UsageRow& small = by_model.rows[1];
  EXPECT_DOUBLE_EQ(small.latency_mean.value(), 50);
  EXPECT_DOUBLE_EQ(small.latency_p50.value(), 50);
  EXPECT_DOUBLE_EQ(small.latency_p95.value(), 95);
  EXPECT_DOUBLE_EQ(small.latency_p99.value(), 99);
  EXPECT_DOUBLE_EQ(small.first_token_p50.value(), 25);
  EXPECT_DOUBLE_EQ(small.first_token_p95.value(), 47.5);
}

TEST_P(UsageStoreContract, LimitsTheNumberOfGroups) {
  std::vector<UsageRecord> records;
  for (const char* model : {"a", "b", "small"}) records.push_back(recordOf("prj_1", model));
  ASSERT_TRUE(usage().write(records));
  UsageReportQuery asked = queryFor({UsageKey::kModel});
  asked.limit = 2;
  const UsageReport first = report(asked);
  EXPECT_EQ(first.rows.size(), 2U);
  EXPECT_TRUE(first.has_more);
  EXPECT_EQ(first.rows[1].keys[0], "b");
  EXPECT_EQ(first.rows[1].unpriced, 1);
  asked.limit = 3;
  EXPECT_FALSE(report(asked).has_more);
}

TEST_P(UsageStoreContract, ToleratesAbsurdTokenCounts) {
  UsageRecord absurd = recordOf("prj_1", "small");
  absurd.tokens.prompt = std::numeric_limits<std::int64_t>::max();
  absurd.tokens.cached = 0;
  UsageRecord second = absurd;
  second.id = newUuid(kNoon);
  ASSERT_TRUE(usage().write({absurd, second}));
  EXPECT_EQ(report(queryFor({})).rows.at(0).tokens.prompt,
            std::numeric_limits<std::int64_t>::max());
}

TEST_P(UsageStoreContract, ReturnsTheSpentCost) {
  UsageRecord early = recordOf("prj_1", "small");
  early.started_at = kNoon - days(2);
  UsageRecord other_key = recordOf("prj_1", "free");
  other_key.key_id = "spk_2";
  other_key.cost = 0.5;
  ASSERT_TRUE(usage().write({early, recordOf("prj_1", "small"), other_key}));
  const auto spent = [&](LimitScope scope, const std::string& subject, Timestamp since) {
    return usdOf(usage().spentSince(scope, subject, since).value());
  };
  EXPECT_DOUBLE_EQ(spent(LimitScope::kProject, "prj_1", {}), 1.0);
  EXPECT_DOUBLE_EQ(spent(LimitScope::kProject, "prj_1", kNoon), 0.75);
  EXPECT_DOUBLE_EQ(spent(LimitScope::kKey, "spk_1", kNoon), 0.25);
  EXPECT_DOUBLE_EQ(spent(LimitScope::kKey, "spk_9", {}), 0);
  EXPECT_DOUBLE_EQ(spent(LimitScope::kProject, "spk_1", {}), 0);
}

TEST_P(UsageStoreContract, CountsTheSameRequestOnce) {
  const UsageRecord record = recordOf("prj_1", "small");
  ASSERT_TRUE(usage().write({record}));
  ASSERT_TRUE(usage().write({record}));
  EXPECT_EQ(count(queryFor({})), 1);
}

TEST_P(UsageStoreContract, RemovesUsageAfterItsRetention) {
  UsageRecord old = recordOf("prj_1", "small");
  old.started_at = kNoon - days(20);
  ASSERT_TRUE(usage().write({old, recordOf("prj_1", "small")}));
  reopen();
  EXPECT_EQ(usage().removeBefore(kNoon - days(10)).value(), 1);
  EXPECT_EQ(usage().removeBefore(kNoon - days(10)).value(), 0);
  EXPECT_EQ(count(queryFor({})), 1);
}

TEST_P(UsageStoreContract, KeepsUsageAcrossRestarts) {
  const UsageRecord record = recordOf("prj_1", "small");
  ASSERT_TRUE(usage().write({record, recordOf("prj_2", "small")}));
  reopen();
  ASSERT_TRUE(usage().write({record}));
  EXPECT_EQ(requests(queryFor({UsageKey::kProject})), "prj_1 =1 prj_2 =1 ");
}

TEST_P(UsageStoreContract, ReturnsTheErrorOfPrices) {
  ASSERT_TRUE(usage().write({recordOf("prj_1", "small")}));
  const Result<UsageReport> refused = usage().report(
      queryFor({}), [](std::string_view) -> Result<std::shared_ptr<const pricing::ProjectPrices>> {
        return Error::unavailable("no prices");
      });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
}

}  // namespace spindle::inference
