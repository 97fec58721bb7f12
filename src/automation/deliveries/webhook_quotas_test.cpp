#include "automation/deliveries/webhook_quotas.h"

#include <gtest/gtest.h>

namespace spindle::automation {
namespace {

using std::chrono::seconds;

constexpr Timestamp kNow = Timestamp(seconds(1'700'000'000));

std::string shown(const std::vector<WebhookQuota>& plan) {
  std::string text;
  for (const WebhookQuota& share : plan) {
    text += share.webhook_id + std::to_string(share.quota) + (share.throttled ? "t " : " ");
  }
  return text;
}

TEST(WebhookQuotas, SharesTheTotalEvenly) {
  WebhookQuotas quotas(7);
  for (const char* name : {"a", "b", "c"}) quotas.due(name, kNow);
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "a3 b2 c2 ");
  EXPECT_EQ(shown(quotas.plan(kNow, {"d"})), "a2 b2 c2 d1 ");
}

TEST(WebhookQuotas, ServesTheLeastRecentlyServedFirst) {
  WebhookQuotas quotas(2);
  for (const char* name : {"a", "b", "c"}) quotas.due(name, kNow);
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "a1 b1 ");
  quotas.started("a");
  quotas.started("b");
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "");
  EXPECT_EQ(quotas.nextDue(), std::nullopt);
  quotas.ended("a");
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "c1 ");
  quotas.started("c");
  quotas.ended("b");
  quotas.ended("c");
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "a1 b1 ");
}

TEST(WebhookQuotas, WaitsUntilTheDueTime) {
  WebhookQuotas quotas(4);
  quotas.due("a", kNow + seconds(5));
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "");
  EXPECT_EQ(quotas.nextDue(), kNow + seconds(5));
  quotas.dueAtLatest("a", kNow + seconds(9));
  EXPECT_EQ(quotas.nextDue(), kNow + seconds(5));
  quotas.dueAtLatest("a", kNow + seconds(2));
  EXPECT_EQ(quotas.nextDue(), kNow + seconds(2));
  EXPECT_EQ(shown(quotas.plan(kNow + seconds(2), {})), "a4 ");
  quotas.due("a", std::nullopt);
  EXPECT_EQ(quotas.nextDue(), std::nullopt);
}

TEST(WebhookQuotas, FullWebhookWaitsForTheEndOfARequest) {
  WebhookQuotas quotas(8);
  quotas.due("a", kNow);
  quotas.due("b", kNow);
  quotas.started("a");
  quotas.full("a");
  EXPECT_EQ(shown(quotas.plan(kNow, {"a"})), "b7 ");
  EXPECT_TRUE(quotas.isAwaited("a", kNow));
  EXPECT_FALSE(quotas.isAwaited("b", kNow)) << "there is room for all but `a`";
  EXPECT_FALSE(quotas.isAwaited("a", kNow - seconds(1)));
  quotas.due("b", std::nullopt);
  EXPECT_EQ(quotas.nextDue(), std::nullopt);
  quotas.ended("a");
  EXPECT_EQ(quotas.nextDue(), kNow);
  EXPECT_FALSE(quotas.isAwaited("a", kNow));
}

TEST(WebhookQuotas, AllWaitWhenTheTotalIsUsed) {
  WebhookQuotas quotas(1);
  quotas.due("a", kNow);
  quotas.started("b");
  EXPECT_TRUE(quotas.isAwaited("b", kNow));
  quotas.full("a");
  EXPECT_FALSE(quotas.isAwaited("b", kNow)) << "it would not help `a`";
}

TEST(WebhookQuotas, ThrottlesForALimitedTime) {
  WebhookQuotas quotas(1);
  quotas.due("a", kNow);
  quotas.throttle("a", kNow + seconds(60));
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "a1t ");
  EXPECT_EQ(shown(quotas.plan(kNow + seconds(60), {})), "a1 ");
}

TEST(WebhookQuotas, LimitsTheShareOfOneWebhook) {
  WebhookQuotas quotas(64);
  quotas.due("a", kNow);
  EXPECT_EQ(shown(quotas.plan(kNow, {})), "a16 ");
}

}  // namespace
}  // namespace spindle::automation
