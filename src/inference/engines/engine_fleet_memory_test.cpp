#include <gtest/gtest.h>

#include "inference/engines/fleet_for_test.h"

namespace spindle::inference {
namespace {

using std::chrono::seconds;

TEST_F(Fleet, UnloadsTheLeastRecentlyUsedModel) {
  fillMemory();
  release(1);
  now_ += seconds(1);
  release(2);
  acquire(3, c_);
  inspected(kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"inspect c", "stop a"}));
  EXPECT_EQ(stateOf("c"), "waiting");
  EXPECT_EQ(stateOf("a"), "stopping");
  exits("a", 0);
  EXPECT_EQ(actions_.take(), (Lines{"start c"}));
  EXPECT_EQ(stateOf("a"), "stopped");
  EXPECT_EQ(stateOf("b"), "ready");
}

TEST_F(Fleet, UnloadsAsManyModelsAsNeeded) {
  fillMemory();
  release(1);
  release(2);
  acquire(3, c_);
  inspected(2 * kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"inspect c", "stop a", "stop b"}));
  exits("b", 0);
  EXPECT_EQ(actions_.take(), Lines{});
  exits("a", 0);
  EXPECT_EQ(actions_.take(), (Lines{"start c"}));
}

TEST_F(Fleet, NeverUnloadsAModelInUse) {
  use({.memory = 2 * kGiB});
  bringUp(1, a_, kGiB + kGiB / 2);
  acquire(2, b_);
  inspected(kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"inspect b", "2 is refused"}));
  EXPECT_EQ(actions_.errors.at(2).code(), ErrorCode::kUnavailable);
  EXPECT_EQ(actions_.errors.at(2).reason(), "no_memory");
  EXPECT_EQ(retryAfterOf(actions_.errors.at(2)), "1");
  EXPECT_EQ(actions_.errors.at(2).message(),
            "The model b needs 1.0 GiB of memory; 512.0 MiB of 2.0 GiB (inference.memory) can be "
            "freed while other models are answering.");
  EXPECT_EQ(stateOf("b"), "stopped");
}

TEST_F(Fleet, UnloadsNothingIfTheMemoryIsStillTooSmall) {
  fillMemory();
  release(2);
  acquire(3, c_);
  inspected(2 * kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"inspect c", "3 is refused"}));
  EXPECT_EQ(stateOf("b"), "ready");
}

TEST_F(Fleet, RejectsAModelThatExceedsTheMemoryLimit) {
  use({.memory = 2 * kGiB});
  acquire(1, a_);
  inspected(3 * kGiB);
  EXPECT_EQ(actions_.errors.at(1).reason(), "model_too_large");
  EXPECT_EQ(retryAfterOf(actions_.errors.at(1)), "-");
  EXPECT_EQ(actions_.errors.at(1).message(),
            "The model a needs 3.0 GiB of memory; all models together may use 2.0 GiB "
            "(inference.memory).");
}

TEST_F(Fleet, ReservesMemoryForAWaitingModel) {
  use({.memory = 2 * kGiB});
  bringUp(1, a_, 2 * kGiB);
  release(1);
  acquire(2, b_);
  inspected(2 * kGiB);
  acquire(3, c_);
  inspected(kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"inspect b", "stop a", "inspect c", "3 is refused"}));
  exits("a", 0);
  EXPECT_EQ(actions_.take(), (Lines{"start b"}));
}

TEST_F(Fleet, SwitchesBetweenTwoModelsWhenOneFits) {
  use({.memory = kGiB});
  bringUp(1, a_);
  release(1);
  for (std::uint64_t request_id = 2; request_id < 6; ++request_id) {
    const bool odd = request_id % 2 == 1;
    acquire(request_id, odd ? a_ : b_);
    inspected(kGiB);
    exits(odd ? "b" : "a", 0);
    healthy(odd ? "a" : "b");
    EXPECT_EQ(actions_.take().back(), std::to_string(request_id) + (odd ? " gets a" : " gets b"));
    release(request_id);
  }
}

TEST_F(Fleet, UsesTheMemoryThatAnEngineReports) {
  use({.memory = 3 * kGiB});
  bringUp(1, a_);
  release(1);
  acquire(2, b_);
  inspected(kGiB);
  actions_.take();
  healthy("b", 3 * kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"2 gets b", "stop a"}))
      << "it needs more memory than its file indicated";
  EXPECT_EQ(statusOf("b").memory, 3 * kGiB);
}

TEST_F(Fleet, LoadsAnAdapterBeforeItGrantsTheEngine) {
  bringUp(1, a_);
  acquire(2, a_, adapterOf("x"));
  acquire(3, a_, adapterOf("x"));
  EXPECT_EQ(actions_.take(), (Lines{"load x into a"}));
  fleet_->adapterLoaded(actions_.runs["a"], "x", {}, now_);
  EXPECT_EQ(actions_.take(), (Lines{"2 gets x", "3 gets x"}));
  EXPECT_EQ(statusOf("a").adapters, (Lines{"x"}));
  acquire(4, a_, adapterOf("x"));
  EXPECT_EQ(actions_.take(), (Lines{"4 gets x"}));
}

TEST_F(Fleet, ReportsWhyAnAdapterCannotBeLoaded) {
  bringUp(1, a_);
  acquire(2, a_, adapterOf("x"));
  acquire(3, a_, adapterOf("y"));
  fleet_->adapterLoaded(actions_.runs["a"], "x", Error::invalidArgument("of another model"), now_);
  EXPECT_EQ(actions_.take(), (Lines{"load x into a", "load y into a", "2 is refused"}));
  EXPECT_EQ(actions_.errors.at(2).message(), "of another model");
  fleet_->adapterLoaded(actions_.runs["a"], "y", {}, now_);
  EXPECT_EQ(actions_.take(), (Lines{"3 gets y"}));
}

TEST_F(Fleet, UnloadsTheLeastRecentlyUsedAdapter) {
  use({.adapters = 2});
  bringUp(1, a_);
  for (std::uint64_t request_id = 2; request_id < 4; ++request_id) {
    const std::string name = request_id == 2 ? "x" : "y";
    acquire(request_id, a_, adapterOf(name));
    fleet_->adapterLoaded(actions_.runs["a"], name, {}, now_);
    now_ += seconds(1);
  }
  release(3);
  now_ += seconds(1);
  release(2);
  actions_.take();
  acquire(4, a_, adapterOf("z"));
  EXPECT_EQ(actions_.take(), (Lines{"drop y of a"}));
  acquire(5, a_, adapterOf("y"));
  EXPECT_EQ(actions_.take(), Lines{}) << "it is being unloaded";
  fleet_->adapterDropped(actions_.runs["a"], "y", now_);
  EXPECT_EQ(actions_.take(), (Lines{"load z into a"}));
}

TEST_F(Fleet, NeverUnloadsAnAdapterInUse) {
  use({.adapters = 1});
  bringUp(1, a_);
  acquire(2, a_, adapterOf("x"));
  fleet_->adapterLoaded(actions_.runs["a"], "x", {}, now_);
  actions_.take();
  acquire(3, a_, adapterOf("y"));
  EXPECT_EQ(actions_.take(), (Lines{"3 is refused"}));
  EXPECT_EQ(actions_.errors.at(3).reason(), "adapters_in_use");
  release(2);
  acquire(4, a_, adapterOf("y"));
  EXPECT_EQ(actions_.take(), (Lines{"drop x of a"}));
}

TEST_F(Fleet, ReloadsAdaptersAfterACrash) {
  bringUp(1, a_);
  acquire(2, a_, adapterOf("x"));
  fleet_->adapterLoaded(actions_.runs["a"], "x", {}, now_);
  release(2);
  exits("a", 0, 11);
  EXPECT_EQ(statusOf("a").leases, 0U);
  release(1);
  inspected(kGiB);
  actions_.take();
  acquire(3, a_, adapterOf("x"));
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"load x into a"}));
  EXPECT_EQ(statusOf("a").leases, 0U) << "the release of a lease of the dead process has no effect";
}

}  // namespace
}  // namespace spindle::inference
