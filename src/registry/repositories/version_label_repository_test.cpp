#include "registry/repositories/registry_for_test.h"

namespace spindle::registry {
namespace {

class VersionLabels : public RegistryContract {};

TEST_P(VersionLabels, AliasMovesFromVersionToVersion) {
  const Version first = committed("a");
  const Version second = committed("b");
  raised();
  ASSERT_TRUE(labels_.putAlias({place_, actor_, "data", byId(first.id)}, "prod"));
  EXPECT_EQ(raised(), Names{"ADD_ARTIFACT_ALIAS prod"});
  EXPECT_EQ(last_.subject.artifact_id, first.id);
  const std::int64_t revision = found(byId(first.id)).revision;
  ASSERT_TRUE(labels_.putAlias({place_, actor_, "data", byId(first.id)}, "prod"));
  EXPECT_EQ(raised(), Names{});
  EXPECT_EQ(found(byId(first.id)).revision, revision);
  ASSERT_TRUE(labels_.putAlias({place_, actor_, "data", byId(second.id)}, "prod"));
  EXPECT_EQ(raised(), Names{"ADD_ARTIFACT_ALIAS prod"});
  EXPECT_EQ(last_.subject.artifact_id, second.id);
  EXPECT_EQ(found(byId(first.id)).aliases, Names{});
  EXPECT_EQ(found(byId(first.id)).revision, revision + 1);
  EXPECT_EQ(found(byId(second.id)).aliases, (Names{"latest", "prod"}));
}

TEST_P(VersionLabels, AliasIsRemovedFromItsVersion) {
  const Version first = committed("a");
  const Version second = committed("b");
  raised();
  EXPECT_EQ(codeOf(labels_.removeAlias({place_, actor_, "data", byId(first.id)}, "latest")),
            ErrorCode::kNotFound);
  ASSERT_TRUE(labels_.removeAlias({place_, actor_, "data", byId(second.id)}, "latest"));
  EXPECT_EQ(raised(), Names{});
}

TEST_P(VersionLabels, TagIsSharedByVersions) {
  const Version first = committed("a");
  const Version second = committed("b");
  raised();
  ASSERT_TRUE(labels_.putTag({place_, actor_, "data", byId(first.id)}, "good"));
  ASSERT_TRUE(labels_.putTag({place_, actor_, "data", byId(first.id)}, "good"));
  ASSERT_TRUE(labels_.putTag({place_, actor_, "data", byId(second.id)}, "good"));
  EXPECT_EQ(raised(), (Names{"ADD_ARTIFACT_TAG good", "ADD_ARTIFACT_TAG good"}));
  EXPECT_FALSE(last_.change_id.empty());
  ASSERT_TRUE(labels_.removeTag({place_, actor_, "data", byId(first.id)}, "good"));
  EXPECT_EQ(codeOf(labels_.removeTag({place_, actor_, "data", byId(first.id)}, "good")),
            ErrorCode::kNotFound);
  EXPECT_EQ(raised(), Names{"REMOVE_ARTIFACT_TAG good"});
  EXPECT_EQ(found(byId(second.id)).tags, Names{"good"});
}

TEST_P(VersionLabels, NeedACommittedVersion) {
  const VersionRepository::BeginResult begun = begin(holding("a"));
  const VersionName pending = byId(begun.version.id);
  EXPECT_EQ(reasonOf(labels_.putAlias({place_, actor_, "data", pending}, "x")), "not_committed");
  EXPECT_EQ(reasonOf(labels_.putTag({place_, actor_, "data", pending}, "x")), "not_committed");
}

TEST_P(VersionLabels, OfMissingVersionsAreNotFound) {
  EXPECT_EQ(codeOf(labels_.putAlias({place_, actor_, "data", byId(1)}, "x")), ErrorCode::kNotFound);
  committed("a");
  EXPECT_EQ(codeOf(labels_.putTag({place_, actor_, "data", byId(99)}, "x")), ErrorCode::kNotFound);
}

SPINDLE_ON_BOTH_ENGINES(VersionLabels);

}  // namespace
}  // namespace spindle::registry
