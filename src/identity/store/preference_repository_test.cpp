#include "identity/store/preference_repository.h"

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class PreferenceRepositoryTest : public IdentityTest {};

TEST_P(PreferenceRepositoryTest, ReplacesThePreferencesOfOneUser) {
  const User ada = person("ada");
  const User bob = person("bob");
  EXPECT_EQ(preferences_.find(ada.id)->json, "{}");
  EXPECT_EQ(preferences_.find(ada.id)->version, 0);
  ASSERT_TRUE(preferences_.put(ada.id, R"({"theme":"dark"})", 0));
  EXPECT_EQ(codeOf(preferences_.put(ada.id, "{}", 0)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(preferences_.put(ada.id, R"({"theme":"light"})"));
  EXPECT_EQ(preferences_.find(ada.id)->json, R"({"theme":"light"})");
  EXPECT_EQ(preferences_.find(ada.id)->version, 2);
  EXPECT_EQ(preferences_.find(bob.id)->json, "{}");
}

TEST_P(PreferenceRepositoryTest, DeletesPreferencesWithTheirUser) {
  const User ada = person("ada");
  ASSERT_TRUE(preferences_.put(ada.id, R"({"a":1})"));
  ASSERT_TRUE(users_.remove(ada.id));
  EXPECT_EQ(preferences_.find(ada.id)->json, "{}");
  EXPECT_EQ(codeOf(preferences_.put(ada.id, "{}")), ErrorCode::kConflict);
}

SPINDLE_ON_BOTH_ENGINES(PreferenceRepositoryTest);

}  // namespace
}  // namespace spindle::identity
