#include "http/server/body_budget.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/byte_units.h"

namespace spindle::http {
namespace {

using ChargeResult = BodyBudget::ChargeResult;

class BodyBudgetTest : public ::testing::Test {
 protected:
  Gauge charged_;
  Gauge unauthenticated_;
  BodyBudget budget_{{.server = 1000 * kKiB, .per_key = 400 * kKiB, .unauthenticated = 100 * kKiB},
                     charged_,
                     unauthenticated_};
};

TEST_F(BodyBudgetTest, ChargesAndReleases) {
  {
    BodyBudget::Charge charge = budget_.charge("key");
    EXPECT_EQ(charge.resize(100 * kKiB), ChargeResult::kGranted);
    EXPECT_EQ(charge.resize(300 * kKiB), ChargeResult::kGranted);
    EXPECT_EQ(charged_.value(), 300 * 1024);
    EXPECT_EQ(charge.resize(10 * kKiB), ChargeResult::kGranted);
    EXPECT_EQ(charged_.value(), 10 * 1024);
    const BodyBudget::Charge moved = std::move(charge);
    EXPECT_EQ(charged_.value(), 10 * 1024);
    EXPECT_EQ(moved.bytes(), 10 * kKiB);
  }
  EXPECT_EQ(charged_.value(), 0);
}

TEST_F(BodyBudgetTest, RejectsABodyAboveTheLimit) {
  BodyBudget::Charge charge = budget_.charge("key");
  EXPECT_EQ(charge.resize(401 * kKiB), ChargeResult::kTooLarge);
  EXPECT_EQ(budget_.probe("key", 401 * kKiB), ChargeResult::kTooLarge);
  EXPECT_EQ(budget_.probe("", 101 * kKiB), ChargeResult::kTooLarge);
  EXPECT_EQ(budget_.probe("key", 400 * kKiB), ChargeResult::kGranted);
  EXPECT_EQ(charged_.value(), 0);
}

TEST_F(BodyBudgetTest, LimitsEachKey) {
  BodyBudget::Charge first = budget_.charge("a");
  BodyBudget::Charge second = budget_.charge("a");
  BodyBudget::Charge other = budget_.charge("b");
  EXPECT_EQ(first.resize(300 * kKiB), ChargeResult::kGranted);
  EXPECT_EQ(second.resize(200 * kKiB), ChargeResult::kKeyExhausted);
  EXPECT_EQ(budget_.probe("a", 200 * kKiB), ChargeResult::kKeyExhausted);
  EXPECT_EQ(second.bytes(), 0U);
  EXPECT_EQ(charged_.value(), 300 * 1024);
  EXPECT_EQ(other.resize(400 * kKiB), ChargeResult::kGranted);
  first.release();
  EXPECT_EQ(second.resize(200 * kKiB), ChargeResult::kGranted);
}

TEST_F(BodyBudgetTest, LimitsTheServer) {
  std::vector<BodyBudget::Charge> charges;
  for (const char* key : {"a", "b"}) {
    charges.push_back(budget_.charge(key));
    EXPECT_EQ(charges.back().resize(400 * kKiB), ChargeResult::kGranted);
  }
  BodyBudget::Charge late = budget_.charge("c");
  EXPECT_EQ(late.resize(300 * kKiB), ChargeResult::kServerExhausted);
  EXPECT_EQ(budget_.probe("c", 300 * kKiB), ChargeResult::kServerExhausted);
  EXPECT_EQ(late.resize(200 * kKiB), ChargeResult::kGranted);
  BodyBudget::Charge small = budget_.charge("d");
  EXPECT_EQ(small.resize(1), ChargeResult::kServerExhausted) << "small bodies count here too";
}

TEST_F(BodyBudgetTest, ClientsWithoutAKeyShareOneBudget) {
  BodyBudget::Charge first = budget_.charge("");
  BodyBudget::Charge second = budget_.charge("");
  EXPECT_EQ(first.resize(60 * kKiB), ChargeResult::kGranted);
  EXPECT_EQ(unauthenticated_.value(), 60 * 1024);
  EXPECT_EQ(second.resize(60 * kKiB), ChargeResult::kKeyExhausted);
  first.release();
  EXPECT_EQ(second.resize(60 * kKiB), ChargeResult::kGranted);
  second.release();
  EXPECT_EQ(unauthenticated_.value(), 0);
}

TEST_F(BodyBudgetTest, CountsCorrectlyWithManyThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (std::size_t round = 1; round < 500; ++round) {
        BodyBudget::Charge charge = budget_.charge(std::string(1, static_cast<char>('a' + i % 2)));
        charge.resize(round * kKiB);
        charge.resize(round * kKiB / 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(charged_.value(), 0);
  BodyBudget::Charge all = budget_.charge("z");
  EXPECT_EQ(all.resize(400 * kKiB), ChargeResult::kGranted);
}

}  // namespace
}  // namespace spindle::http
