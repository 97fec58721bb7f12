#include "automation/deliveries/delivery_statistics.h"

#include "automation/deliveries/delivery_for_test.h"
#include "live/change_log.h"

namespace spindle::automation {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class DeliveryStatisticsTest : public DeliveryContract {
 protected:
  std::vector<WebhookStatistics> statistics(Timestamp since, bool visible = true) {
    const auto sees = [&](const Scope& scope) -> Result<bool> {
      EXPECT_EQ(scope.project, "lab");
      return visible;
    };
    Result<std::vector<WebhookStatistics>> found = statistics_.ofTeam(acme_.id, since, sees);
    EXPECT_TRUE(found);
    return found ? *std::move(found) : std::vector<WebhookStatistics>();
  }

  DeliveryStatistics statistics_{*database_};
};

TEST_P(DeliveryStatisticsTest, CountDeliveriesAndAttemptsOfEveryWebhook) {
  policy_.retry_delays = {seconds(1)};
  const Timestamp start = clock_.now();
  FakeEndpoint flaky({statusOnly(500), statusOnly(204), statusOnly(503)});
  hook("idle", flaky.url());
  automation("a", kAnyAlias, hook("busy", flaky.url(), 1));
  addAlias("x");
  deliver();
  clock_.advance(seconds(1));
  deliver();
  const Timestamp succeeded = clock_.now();
  clock_.advance(seconds(1));
  addAlias("y");
  deliver();
  const Timestamp failed = clock_.now();
  EXPECT_EQ(statuses(), "succeeded retrying:http_status ");

  const std::vector<WebhookStatistics> all = statistics(start);
  ASSERT_EQ(all.size(), 2U);
  const WebhookStatistics& busy = all[0];
  EXPECT_EQ(busy.name, "busy");
  EXPECT_EQ(busy.count(DeliveryStatus::kSucceeded), 1);
  EXPECT_EQ(busy.count(DeliveryStatus::kRetrying), 1);
  EXPECT_EQ(busy.count(DeliveryStatus::kFailed), 0);
  EXPECT_EQ(busy.attempts, 3);
  EXPECT_EQ(busy.successRate(), 1.0);
  EXPECT_TRUE(busy.latency_p50_ms);
  EXPECT_LE(busy.latency_p50_ms, busy.latency_p95_ms);
  EXPECT_EQ(busy.last_success_at, succeeded);
  ASSERT_TRUE(busy.last_failure);
  EXPECT_EQ(busy.last_failure->at, failed);
  EXPECT_EQ(busy.last_failure->response_status, 503);
  EXPECT_EQ(busy.last_failure->delivery_id, deliveries().at(0).id);
  EXPECT_EQ(busy.last_failure->error.has_value(), false);

  const WebhookStatistics& idle = all[1];
  EXPECT_EQ(idle.name, "idle");
  EXPECT_EQ(idle.attempts, 0);
  EXPECT_EQ(idle.successRate(), std::nullopt);
  EXPECT_EQ(idle.latency_p95_ms, std::nullopt);
  EXPECT_EQ(idle.last_failure.has_value(), false);

  clock_.advance(seconds(1));
  deliver();
  EXPECT_EQ(statistics(start)[0].successRate(), 0.5);
}

TEST_P(DeliveryStatisticsTest, CountOnlyDeliveriesSinceATime) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  clock_.advance(hours(2));
  const Timestamp since = clock_.now();
  EXPECT_EQ(statistics(since).at(0).attempts, 0);
  addAlias("y");
  deliver();
  EXPECT_EQ(statistics(since).at(0).count(DeliveryStatus::kSucceeded), 1);
  EXPECT_EQ(statistics(since - hours(3)).at(0).count(DeliveryStatus::kSucceeded), 2);
}

TEST_P(DeliveryStatisticsTest, OmitScopesThatTheCallerDoesNotSee) {
  FakeEndpoint endpoint({statusOnly(500)});
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  const WebhookStatistics hidden = statistics(clock_.now() - hours(1), false).at(0);
  EXPECT_EQ(hidden.count(DeliveryStatus::kRetrying), 0);
  EXPECT_EQ(hidden.attempts, 0);
  EXPECT_EQ(hidden.last_failure.has_value(), false);
}

TEST_P(DeliveryStatisticsTest, ShowTheErrorOfAnAttemptWithoutResponse) {
  automation("a", kAnyAlias, hook("hook", "http://127.0.0.1:1/closed"));
  addAlias("x");
  deliver();
  const WebhookStatistics dead = statistics(clock_.now() - hours(1)).at(0);
  ASSERT_TRUE(dead.last_failure);
  EXPECT_EQ(dead.last_failure->response_status, std::nullopt);
  ASSERT_TRUE(dead.last_failure->error);
  EXPECT_EQ(dead.latency_p50_ms, std::nullopt);
  EXPECT_EQ(dead.attempts, 1);
}

TEST_P(DeliveryStatisticsTest, DeliveriesPublishTheirChanges) {
  live::ChangeLog changes;
  DeliveryStore store(*database_, clocks(), policy_, "live", &changes);
  DeliveryEngine engine({store, secrets_, client_, outbox_, clocks(), metrics_},
                        {.concurrency = 64, .version = "0.1.0"});
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  engine.runForTest();
  changes.seal();
  std::int64_t count = 0;
  changes.visitAfter(0, [&](std::uint64_t, const live::Change& change) {
    EXPECT_EQ(change.topic, live::Topic::kDeliveries);
    EXPECT_EQ(change.scope_id, acme_.id);
    count += change.count;
  });
  EXPECT_EQ(count, 2) << "the claim and the outcome";
}

SPINDLE_ON_BOTH_ENGINES(DeliveryStatisticsTest);

}  // namespace
}  // namespace spindle::automation
