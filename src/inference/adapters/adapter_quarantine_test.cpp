#include "inference/adapters/adapter_quarantine_repository.h"
#include "inference/adapters/adapters_for_test.h"

namespace spindle::inference {
namespace {

class QuarantineTest : public AdapterContract {
 protected:
  static AdapterCrash crashOf(const std::string& name, const std::string& reason) {
    return {.adapter = {name, "/adapters/" + name, "team/project/agent:v1"},
            .model = "base",
            .reason = reason};
  }

  AdapterQuarantineRepository quarantine_{*database_, clock_};
};

TEST_P(QuarantineTest, StoresAdaptersUntilTheyAreReleased) {
  EXPECT_FALSE(*quarantine_.contains("a"));
  ASSERT_TRUE(quarantine_.add(crashOf("a", "was terminated by signal 6")));
  clock_.advance(std::chrono::seconds(1));
  ASSERT_TRUE(quarantine_.add(crashOf("b", "was terminated by signal 11")));
  EXPECT_TRUE(*quarantine_.contains("a"));
  EXPECT_FALSE(*quarantine_.contains("c"));
  const auto all = quarantine_.list();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].id, "b");
  EXPECT_EQ((*all)[1].id, "a");
  EXPECT_EQ((*all)[1].artifact, "team/project/agent:v1");
  EXPECT_EQ((*all)[1].model, "base");
  EXPECT_EQ((*all)[1].reason, "was terminated by signal 6");
  ASSERT_TRUE(quarantine_.remove("a"));
  EXPECT_FALSE(*quarantine_.contains("a"));
  EXPECT_EQ(quarantine_.remove("a").error().code(), ErrorCode::kNotFound);
}

TEST_P(QuarantineTest, ReplacesAnEarlierRecordOfTheSameAdapter) {
  ASSERT_TRUE(quarantine_.add(crashOf("a", "was terminated by signal 6")));
  clock_.advance(std::chrono::seconds(1));
  ASSERT_TRUE(quarantine_.add(crashOf("a", "was terminated by signal 11")));
  const auto all = quarantine_.list();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ((*all)[0].reason, "was terminated by signal 11");
  EXPECT_EQ((*all)[0].created_at, clock_.now());
}

SPINDLE_ON_BOTH_ENGINES(QuarantineTest);

}  // namespace
}  // namespace spindle::inference
