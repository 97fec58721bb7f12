// Crashes that are attributed to adapters, and their quarantine.

#include <csignal>

#include "inference/engines/fleet_for_test.h"

namespace spindle::inference {
namespace {

using std::chrono::seconds;

class FleetBlame : public Fleet {
 protected:
  /// Acquires an adapter of the running model for a ticket.
  void use(std::uint64_t request_id, const std::string& adapter) {
    acquire(request_id, a_, adapterOf(adapter));
    fleet_->adapterLoaded(actions_.runs.at("a"), adapter, {}, now_);
    actions_.take();
  }
  void restart() {
    inspected(kGiB);
    healthy("a");
    actions_.take();
  }
};

TEST_F(FleetBlame, QuarantinesTheAdapterInUseAndRestartsTheEngine) {
  bringUp(1, a_);
  for (int round = 0; round < 3; ++round) {
    use(2, "x" + std::to_string(round));
    exits("a", 0, SIGABRT);
    EXPECT_EQ(actions_.take(),
              (Lines{"quarantine x" + std::to_string(round) + " of a: was terminated by signal 6",
                     "inspect a"}))
        << "no back-off: the base model did not cause the crash";
    restart();
  }
  EXPECT_EQ(statusOf("a").restarts, 3);
}

TEST_F(FleetBlame, RejectsAQuarantinedAdapterUntilItIsStored) {
  bringUp(1, a_);
  use(2, "x");
  exits("a", 0, SIGSEGV);
  restart();
  acquire(3, a_, adapterOf("x"));
  EXPECT_EQ(actions_.take(), Lines{"3 is refused"});
  EXPECT_EQ(actions_.errors.at(3).reason(), "adapter_quarantined");
  acquire(4, a_);
  acquire(5, a_, adapterOf("y"));
  EXPECT_EQ(actions_.take(), (Lines{"4 gets a", "load y into a"})) << "other requests are served";
  fleet_->quarantineRecorded("x");
  acquire(6, a_, adapterOf("x"));
  EXPECT_EQ(actions_.take(), Lines{"load x into a"})
      << "the stored quarantine now rejects it before the fleet";
}

TEST_F(FleetBlame, QuarantinesAnAdapterThatIsBeingLoaded) {
  bringUp(1, a_);
  acquire(2, a_, adapterOf("x"));
  actions_.take();
  exits("a", 0, SIGABRT);
  EXPECT_EQ(actions_.take(),
            (Lines{"quarantine x of a: was terminated by signal 6", "2 is refused", "inspect a"}));
}

TEST_F(FleetBlame, QuarantinesAnAdapterWhoseConnectionBrokeBeforeTheExit) {
  bringUp(1, a_);
  use(2, "x");
  release(2, true);
  exits("a", 0, SIGKILL);
  EXPECT_EQ(actions_.take().front(), "quarantine x of a: was terminated by signal 9");
  restart();
  acquire(3, a_, adapterOf("y"));
  fleet_->adapterLoaded(actions_.runs.at("a"), "y", Error::unavailable("no answer"), now_);
  actions_.take();
  exits("a", 0, SIGKILL);
  EXPECT_EQ(actions_.take().front(), "quarantine y of a: was terminated by signal 9");
}

TEST_F(FleetBlame, IgnoresABrokenConnectionOfAHealthyEngine) {
  bringUp(1, a_);
  use(2, "x");
  release(2, true);
  healthy("a");
  exits("a", 0, SIGKILL);
  EXPECT_EQ(actions_.take(), Lines{"inspect a"});
}

TEST_F(FleetBlame, DoesNotQuarantineForIdleAdaptersRegularExitsOrHangs) {
  bringUp(1, a_);
  use(2, "x");
  release(2);
  exits("a", 0, SIGKILL);
  EXPECT_EQ(actions_.take(), Lines{"inspect a"}) << "x was loaded but not in use";
  restart();
  use(3, "x");
  exits("a", 0);
  EXPECT_EQ(actions_.take(), Lines{}) << "the engine was told to stop";
  after(seconds(60));
  restart();
  use(4, "x");
  for (int probe = 0; probe < 3; ++probe) silent("a");
  EXPECT_EQ(actions_.take(), Lines{"kill a"});
  exits("a", 0, SIGKILL);
  EXPECT_EQ(actions_.take(), Lines{});
}

TEST_F(FleetBlame, QuarantinesTheAdapterThatIsPresentAtTwoCrashes) {
  bringUp(1, a_);
  use(2, "x");
  use(3, "y");
  exits("a", 0, SIGABRT);
  EXPECT_EQ(actions_.take(), Lines{"inspect a"}) << "either adapter may be the cause";
  restart();
  use(4, "y");
  release(4);
  use(5, "x");
  use(6, "z");
  exits("a", 0, SIGABRT);
  const Lines lines = actions_.take();
  EXPECT_EQ(lines.front(), "quarantine x of a: was terminated by signal 6");
  EXPECT_EQ(lines.size(), 2U) << "z has one strike";
  restart();
  use(7, "y");
  use(8, "w");
  exits("a", 0, SIGABRT);
  EXPECT_EQ(actions_.take(), Lines{}) << "y had a successful request: a back-off, no quarantine";
  EXPECT_EQ(stateOf("a"), "backing_off");
}

}  // namespace
}  // namespace spindle::inference
