// Deliveries while the wall clock is set back or forward.

#include "automation/deliveries/delivery_for_test.h"
#include "automation/deliveries/event_dispatch.h"

namespace spindle::automation {
namespace {

using std::chrono::hours, std::chrono::microseconds, std::chrono::minutes, std::chrono::seconds;

class AdjustedClock : public DeliveryContract {
 protected:
  Clocks clocks() const override { return {clock_, schedule_}; }

  /// Advances both clocks.
  void pass(microseconds time) {
    clock_.advance(time);
    schedule_.advance(time);
  }

  /// Expects that the second and last attempt is made after this time, and not before.
  void expectRetryAfter(seconds time, FakeEndpoint& endpoint) {
    pass(time - seconds(1));
    deliver();
    EXPECT_EQ(endpoint.requests().size(), 1U);
    pass(seconds(1));
    deliver();
    EXPECT_EQ(statuses(), "succeeded ");
  }

  ManualClock schedule_{clock_.now()};
};

TEST_P(AdjustedClock, SetBackHidesNoEventFromAutomations) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()), R"(["${alias}"])");
  clock_.advance(-hours(48));
  addAlias("x");
  deliver();
  EXPECT_EQ(statuses(), "succeeded ");
  clock_.advance(hours(96));
  addAlias("y");
  deliver();
  EXPECT_EQ(endpoint.bodies(), (std::vector<std::string>{R"(["x"])", R"(["y"])"}));
}

TEST_P(AdjustedClock, SetForwardDoesNotMatchEarlierEvents) {
  FakeEndpoint endpoint;
  clock_.advance(hours(48));
  addAlias("before");
  clock_.advance(-hours(48));
  Automation made = automation("a", kAnyAlias, hook("hook", endpoint.url()));
  deliver();
  EXPECT_TRUE(deliveries().empty());
  made.draft.enabled = false;
  ASSERT_TRUE(many_.update(made.id, made.draft, std::nullopt));
  addAlias("while disabled");
  made.draft.enabled = true;
  ASSERT_TRUE(many_.update(made.id, made.draft, std::nullopt));
  deliver();
  EXPECT_TRUE(deliveries().empty());
}

TEST_P(AdjustedClock, SetBackSkipsNoDelivery) {
  policy_.per_minute = 2;
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  addAlias("y");
  deliver();
  EXPECT_EQ(statuses(), "succeeded succeeded ");
  clock_.advance(-hours(5));
  pass(minutes(1));
  addAlias("z");
  deliver();
  EXPECT_EQ(statuses(), "succeeded succeeded succeeded ");
}

TEST_P(AdjustedClock, DoesNotChangeRetryTimes) {
  FakeEndpoint endpoint({statusOnly(500), statusOnly(500), statusOnly(200)});
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  clock_.advance(hours(3));
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 1U) << "set forward: not before its time";
  clock_.advance(-hours(9));
  pass(seconds(5));
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 2U) << "set back: not after its time";
  pass(minutes(5));
  deliver();
  EXPECT_EQ(statuses(), "succeeded ");
}

TEST_P(AdjustedClock, AppliesToRetryAfterDates) {
  clock_.advance(-hours(10));
  FakeEndpoint endpoint({statusOnly(503, "Retry-After: 60\r\n"), statusOnly(200)});
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  expectRetryAfter(seconds(60), endpoint);
}

TEST_P(AdjustedClock, DoesNotExtendTheSilencePeriod) {
  FakeEndpoint endpoint;
  automation("a", R"({"type":"RUN_STATE","states":["FAILED"]})", hook("hook", endpoint.url()));
  const auto fail = [&] {
    raiseEvent(EventType::kRunState, R"({"run_state":"FAILED"})");
    deliver();
    return endpoint.requests().size();
  };
  EXPECT_EQ(fail(), 1U);
  clock_.advance(-hours(48));
  pass(hours(1));
  EXPECT_EQ(fail(), 1U) << "an hour has passed";
  pass(hours(23));
  EXPECT_EQ(fail(), 2U) << "a day has passed";
}

TEST_P(AdjustedClock, SetBackBetweenTwoStartsDelaysNothing) {
  FakeEndpoint endpoint({statusOnly(500), statusOnly(200)});
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  worker_.reset();
  // The next process: its schedule clock starts at its wall time.
  clock_.advance(-hours(6));
  schedule_.advance(-hours(6));
  ASSERT_TRUE(database_->write(
      [](storage::Session& session) { return shiftDeliverySchedule(session, -hours(6)); }));
  expectRetryAfter(seconds(5), endpoint);
}

TEST_P(AdjustedClock, SetForwardDeletesNoDelivery) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  DeliveryRepository log(*database_, clocks());
  clock_.advance(hours(24 * 365));
  ASSERT_TRUE(log.deleteExpired());
  EXPECT_EQ(deliveries().size(), 1U);
  EXPECT_TRUE(deliveries()[0].request);
  pass(hours(24 * 31));
  ASSERT_TRUE(log.deleteExpired());
  EXPECT_TRUE(deliveries().empty());
}

TEST_P(AdjustedClock, SkippedDeliveriesCanBeReplayed) {
  policy_.per_minute = 1;
  DeliveryRepository log(*database_, clocks());
  FakeEndpoint endpoint;
  const Webhook made = hook("hook", endpoint.url());
  automation("a", kAnyAlias, made, R"(["${alias}"])");
  for (int i = 0; i < 13; ++i) addAlias(std::to_string(i));
  deliver();
  const std::vector<Delivery> skipped = deliveries({.status = DeliveryStatus::kSkipped});
  ASSERT_EQ(skipped.size(), 2U);
  const Result<Delivery> again = log.replay(skipped[0].id);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->status, DeliveryStatus::kPending);
  deliver();
  EXPECT_EQ(log.find(skipped[0].id)->status, DeliveryStatus::kSucceeded);
  const Result<Delivery> anew = log.replayCurrent(skipped[1].id);
  ASSERT_TRUE(anew);
  EXPECT_EQ(anew->replay_of, skipped[1].id);
  const Result<std::int64_t> recovered = log.recover(made.id, clock_.now() - hours(1), {});
  ASSERT_TRUE(recovered);
  EXPECT_EQ(*recovered, 1) << "the one that is still skipped";
  deliver();
  EXPECT_TRUE(deliveries({.status = DeliveryStatus::kSkipped}).empty());
}

SPINDLE_ON_BOTH_ENGINES(AdjustedClock);

}  // namespace
}  // namespace spindle::automation
