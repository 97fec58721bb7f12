#include "trainer/worker/request_bodies.h"

#include <limits>

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

TEST(RequestBodies, AreThoseOfTheTrainerProtocol) {
  const Metrics metrics = {{"loss", 0.5}, {"nan", std::numeric_limits<double>::quiet_NaN()}};

  EXPECT_EQ(leaseBody("one", 20, "cpu"), R"({"worker":"one","wait_seconds":20,"device":"cpu"})");
  EXPECT_EQ(heartBeatBody(1.5), R"({"seconds_left":1.5})");
  EXPECT_EQ(heartBeatBody(std::nullopt), "{}");
  EXPECT_EQ(startBody(3, ""),
            R"({"first":1,"events":[{"type":"training_started","data":{"num_sequences":3}}]})");
  EXPECT_EQ(startBody(0, "all rewards are equal"),
            R"({"first":1,"events":[{"type":"training_started","data":{"num_sequences":0},)"
            R"("note":"all rewards are equal"}]})");
  EXPECT_EQ(stepBody(2, metrics),
            R"({"first":2,"events":[{"type":"gradient_step","data":{"loss":0.5}}]})");
  EXPECT_EQ(resultBody({.unchanged = true, .metrics = metrics}),
            R"({"unchanged":true,"metrics":{"loss":0.5}})");
  EXPECT_EQ(resultBody({}), R"({"metrics":{}})");
  EXPECT_EQ(failureBody("no disk"), R"({"message":"no disk"})");
}

}  // namespace
}  // namespace spindle::trainer
