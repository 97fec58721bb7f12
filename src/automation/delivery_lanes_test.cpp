#include "automation/delivery_lanes.h"

#include <gtest/gtest.h>

namespace spindle::automation {
namespace {

using std::chrono::seconds;

constexpr Timestamp kNow = Timestamp(seconds(1'700'000'000));

std::string shown(const std::vector<LaneQuota>& plan) {
  std::string text;
  for (const LaneQuota& lane : plan) {
    text += lane.webhook_id + std::to_string(lane.quota) + (lane.throttled ? "t " : " ");
  }
  return text;
}

TEST(Lanes, ShareWhatThereIsEvenly) {
  DeliveryLanes lanes(7);
  for (const char* name : {"a", "b", "c"}) lanes.due(name, kNow);
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "a3 b2 c2 ");
  EXPECT_EQ(shown(lanes.plan(kNow, {"d"})), "a2 b2 c2 d1 ");
}

TEST(Lanes, ComeInTurns) {
  DeliveryLanes lanes(2);
  for (const char* name : {"a", "b", "c"}) lanes.due(name, kNow);
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "a1 b1 ");
  lanes.started("a");
  lanes.started("b");
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "");
  EXPECT_EQ(lanes.nextDue(), std::nullopt);
  lanes.ended("a");
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "c1 ");
  lanes.started("c");
  lanes.ended("b");
  lanes.ended("c");
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "a1 b1 ");
}

TEST(Lanes, WaitUntilTheyAreDue) {
  DeliveryLanes lanes(4);
  lanes.due("a", kNow + seconds(5));
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "");
  EXPECT_EQ(lanes.nextDue(), kNow + seconds(5));
  lanes.dueAtLatest("a", kNow + seconds(9));
  EXPECT_EQ(lanes.nextDue(), kNow + seconds(5));
  lanes.dueAtLatest("a", kNow + seconds(2));
  EXPECT_EQ(lanes.nextDue(), kNow + seconds(2));
  EXPECT_EQ(shown(lanes.plan(kNow + seconds(2), {})), "a4 ");
  lanes.due("a", std::nullopt);
  EXPECT_EQ(lanes.nextDue(), std::nullopt);
}

TEST(Lanes, ThatAreFullWaitForAnEnd) {
  DeliveryLanes lanes(8);
  lanes.due("a", kNow);
  lanes.due("b", kNow);
  lanes.started("a");
  lanes.full("a");
  EXPECT_EQ(shown(lanes.plan(kNow, {"a"})), "b7 ");
  EXPECT_TRUE(lanes.isAwaited("a", kNow));
  EXPECT_FALSE(lanes.isAwaited("b", kNow)) << "there is room for all but `a`";
  EXPECT_FALSE(lanes.isAwaited("a", kNow - seconds(1)));
  lanes.due("b", std::nullopt);
  EXPECT_EQ(lanes.nextDue(), std::nullopt);
  lanes.ended("a");
  EXPECT_EQ(lanes.nextDue(), kNow);
  EXPECT_FALSE(lanes.isAwaited("a", kNow));
}

TEST(Lanes, AllWaitWhenThereIsNoRoomLeft) {
  DeliveryLanes lanes(1);
  lanes.due("a", kNow);
  lanes.started("b");
  EXPECT_TRUE(lanes.isAwaited("b", kNow));
  lanes.full("a");
  EXPECT_FALSE(lanes.isAwaited("b", kNow)) << "it would not help `a`";
}

TEST(Lanes, AreThrottledForATime) {
  DeliveryLanes lanes(1);
  lanes.due("a", kNow);
  lanes.throttle("a", kNow + seconds(60));
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "a1t ");
  EXPECT_EQ(shown(lanes.plan(kNow + seconds(60), {})), "a1 ");
}

TEST(Lanes, NeverGetMoreThanAnyEndpointMayHave) {
  DeliveryLanes lanes(64);
  lanes.due("a", kNow);
  EXPECT_EQ(shown(lanes.plan(kNow, {})), "a16 ");
}

}  // namespace
}  // namespace spindle::automation
