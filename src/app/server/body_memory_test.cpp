#include "app/server/body_memory.h"

#include <gtest/gtest.h>

#include "base/core/byte_units.h"

namespace spindle::app {
namespace {

TEST(BodyMemory, ScalesWithMachineMemory) {
  const BodyMemory memory = bodyMemory({}, 16 * kGiB);
  EXPECT_EQ(memory.server, 4 * kGiB);
  EXPECT_EQ(memory.per_key, kGiB);
  EXPECT_EQ(memory.unauthenticated, 128 * kMiB);
}

TEST(BodyMemory, HoldsTheLargestBodyAlsoOnASmallMachine) {
  const BodyMemory memory = bodyMemory({}, 512 * kMiB);
  EXPECT_EQ(memory.server, 256 * kMiB);
  EXPECT_EQ(memory.per_key, 64 * kMiB);
  EXPECT_EQ(memory.unauthenticated, 16 * kMiB);
}

TEST(BodyMemory, UsesTheSettings) {
  config::LimitSettings limits;
  limits.body_memory = 100 * kMiB;
  limits.body_memory_per_key = 50 * kMiB;
  limits.unauthenticated_memory = 200 * kMiB;
  const BodyMemory memory = bodyMemory(limits, 16 * kGiB);
  EXPECT_EQ(memory.server, 100 * kMiB);
  EXPECT_EQ(memory.per_key, 50 * kMiB);
  EXPECT_EQ(memory.unauthenticated, 100 * kMiB) << "never more than the whole";
}

}  // namespace
}  // namespace spindle::app
