#include "app/wiring/components.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

/// Fixture with components that record their calls.
class ComponentsTest : public testing::Test {
 protected:
  std::function<void()> recorded(const std::string& call) {
    return [this, call] { calls_.push_back(call); };
  }

  /// Returns a component whose start, stop and maintenance are recorded.
  Component component(const std::string& name, StopPhase phase = StopPhase::kAfterRequests) {
    return {.name = name,
            .lifecycle = Lifecycle(recorded("start " + name), recorded("stop " + name), phase),
            .maintenance = Maintenance{recorded("maintain " + name)}};
  }

  /// Returns the calls since the last call of this function.
  std::vector<std::string> calls() { return std::exchange(calls_, {}); }

  using Calls = std::vector<std::string>;

  bool held_ = false;
  Calls calls_;
  Components components_{[this](const std::function<void()>& work) {
    if (!held_) work();
  }};
};

TEST_F(ComponentsTest, StartsInTheOrderOfRegistration) {
  components_.add(component("b"));
  components_.add(component("a"));
  components_.start();
  EXPECT_EQ(calls(), (Calls{"start b", "start a"}));
}

TEST_F(ComponentsTest, StopsByPhaseThenInTheOrderOfRegistration) {
  components_.add(component("server", StopPhase::kRequests));
  components_.add(component("jobs"));
  components_.add(component("engines"));
  components_.add(component("training", StopPhase::kBeforeRequests));
  components_.start();
  calls();
  components_.stop();
  EXPECT_EQ(calls(), (Calls{"stop training", "stop server", "stop jobs", "stop engines"}));
  components_.stop();
  EXPECT_EQ(calls(), Calls{}) << "stopped twice";
}

TEST_F(ComponentsTest, StopsNothingThatWasNotStarted) {
  components_.add(component("jobs"));
  components_.stop();
  EXPECT_EQ(calls(), Calls{});
}

TEST_F(ComponentsTest, StopsTheStartedComponentsWhenAStartFails) {
  components_.add(component("server", StopPhase::kRequests));
  components_.add(component("training", StopPhase::kBeforeRequests));
  components_.add(
      {.name = "engines",
       .lifecycle = Lifecycle([] { throw std::runtime_error("no program"); }, recorded("stop"))});
  components_.add(component("gateway"));
  EXPECT_THROW(components_.start(), std::runtime_error);
  EXPECT_EQ(calls(), (Calls{"start server", "start training", "stop training", "stop server"}));
}

TEST_F(ComponentsTest, StopsInItsDestructor) {
  {
    Components components([](const std::function<void()>& work) { work(); });
    components.add(component("server"));
    components.start();
  }
  EXPECT_EQ(calls(), (Calls{"start server", "stop server"}));
}

TEST_F(ComponentsTest, MaintainsInTheOrderOfRegistration) {
  components_.add(component("runs"));
  components_.add({.name = "agents", .lifecycle = Lifecycle([] {}, stopsInDestructor)});
  components_.add({.name = "keys", .maintenance = Maintenance{recorded("maintain keys")}});
  components_.maintain(MaintenanceScope::kDeployment);
  EXPECT_EQ(calls(), (Calls{"maintain runs", "maintain keys"}));
}

TEST_F(ComponentsTest, MaintainsOneScopeAtATime) {
  components_.add({.name = "registry", .maintenance = Maintenance{recorded("maintain registry")}});
  components_.add({.name = "traces",
                   .maintenance = Maintenance{.run = recorded("maintain traces"),
                                              .scope = MaintenanceScope::kServer}});
  components_.maintain(MaintenanceScope::kServer);
  EXPECT_EQ(calls(), Calls{"maintain traces"});
}

TEST_F(ComponentsTest, SkipsMaintenanceDuringABackup) {
  components_.add(component("runs"));
  components_.add({.name = "registry",
                   .maintenance = Maintenance{.run = recorded("maintain registry"),
                                              .skip_during_backup = true}});
  held_ = true;
  components_.maintain(MaintenanceScope::kDeployment);
  EXPECT_EQ(calls(), Calls{"maintain runs"});
  held_ = false;
  components_.maintain(MaintenanceScope::kDeployment);
  EXPECT_EQ(calls(), (Calls{"maintain runs", "maintain registry"}));
}

TEST_F(ComponentsTest, RefusesANameThatIsTaken) {
  components_.add(component("jobs"));
  EXPECT_THROW(components_.add(component("jobs")), std::logic_error);
}

}  // namespace
}  // namespace spindle::app
