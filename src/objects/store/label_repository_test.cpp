#include "objects/store/label_repository.h"

#include "objects/store/objects_for_test.h"
#include "objects/values/label.h"

namespace spindle::objects {
namespace {

TEST(Label, TagsAreWordsWithSingleSpaces) {
  for (const std::string& good :
       Texts{"a", "prod", "v1", "A_b-c 9", "x y z", std::string(256, 'a')}) {
    EXPECT_TRUE(checkTags({good})) << good;
  }
  for (const std::string& bad :
       Texts{std::string(), std::string(" a"), std::string("a "), std::string("a  b"),
             std::string("a.b"), std::string("a/b"), std::string("é"), std::string(257, 'a'),
             std::string("a\tb")}) {
    const Result<void> refused = checkTags({"good", bad});
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(checkTags({}));
}

TEST(Label, AliasesAreValidated) {
  for (const std::string good :
       {"prod", "a b", "v", "vx", "v1a", "V1", "latest2", "é", "0123456789"}) {
    EXPECT_TRUE(checkAliases({good})) << good;
  }
  std::string long_but_good;
  for (int i = 0; i < 128; ++i) long_but_good += "é";
  EXPECT_TRUE(checkAliases({long_but_good}));
  for (const std::string& bad :
       Texts{std::string(), std::string("  "), std::string("a/b"), std::string("a:b"),
             std::string("v0"), std::string("v12"), std::string("latest"), std::string(129, 'a')}) {
    const Result<void> refused = checkAliases({bad});
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(Label, ObjectIdsContainOnlySafeCharacters) {
  for (const std::string& good : Texts{"a", "A.b_c-9", std::string(128, 'x')}) {
    EXPECT_TRUE(checkObjectId(good)) << good;
  }
  const Result<void> bad = checkObjectId("a b/é/");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), ErrorCode::kUnprocessable);
  EXPECT_NE(bad.error().message().find("contains ' ', '/', 'é';"), std::string::npos);
  EXPECT_EQ(checkObjectId("").error().code(), ErrorCode::kUnprocessable);
  const Result<void> long_one = checkObjectId(std::string(129, 'x'));
  EXPECT_EQ(long_one.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(long_one.error().message().find("String too long: "), 0);
}

class LabelsOfObjects : public ObjectsContract {
 protected:
  Labels labelsOf(const std::string& object_id, const std::string& version) {
    const Result<ObjectVersion> found = objects_.find(project_, object_id, version, false);
    EXPECT_TRUE(found);
    if (!found) return {};
    Result<std::vector<Labels>> labels = labels_.labelsOf(project_, {*found});
    EXPECT_TRUE(labels);
    return labels ? labels->front() : Labels{};
  }
};

TEST_P(LabelsOfObjects, TagsBelongToAVersion) {
  publish("x", "1");
  publish("x", "2");
  ASSERT_TRUE(labels_.addTags({project_, "x", "v0"}, {"b", "a"}));
  ASSERT_TRUE(labels_.addTags({project_, "x", "v0"}, {"a"}));
  ASSERT_TRUE(labels_.addTags({project_, "x", "latest"}, {"a"}));
  EXPECT_EQ(labelsOf("x", "v0").tags, (Texts{"a", "b"}));
  EXPECT_EQ(labelsOf("x", "v1").tags, (Texts{"a"}));
  EXPECT_EQ(*labels_.tags(project_), (Texts{"a", "b"}));
  ASSERT_TRUE(labels_.removeTags({project_, "x", "v0"}, {"b", "never"}));
  EXPECT_EQ(labelsOf("x", "v0").tags, (Texts{"a"}));
  EXPECT_EQ(*labels_.tags(other_), Texts{});
}

TEST_P(LabelsOfObjects, AnAliasMovesBetweenVersions) {
  publish("x", "1");
  const std::string second = publish("x", "2");
  publish("y", "1");
  ASSERT_TRUE(labels_.setAliases({project_, "x", "v0"}, {"prod", "blue"}));
  ASSERT_TRUE(labels_.setAliases({project_, "y", "v0"}, {"prod"}));
  EXPECT_EQ(labelsOf("x", "v0").aliases, (Texts{"blue", "prod"}));
  ASSERT_TRUE(labels_.setAliases({project_, "x", second}, {"prod"}));
  EXPECT_EQ(labelsOf("x", "v0").aliases, (Texts{"blue"}));
  EXPECT_EQ(labelsOf("x", "v1").aliases, (Texts{"latest", "prod"}));
  EXPECT_EQ(labelsOf("y", "v0").aliases, (Texts{"latest", "prod"}));
  EXPECT_EQ(objects_.find(project_, "x", "prod", true)->value, "2");
  EXPECT_EQ(objects_.find(project_, "y", "prod", true)->value, "1");
  EXPECT_EQ(*labels_.aliases(project_), (Texts{"blue", "latest", "prod"}));
  ASSERT_TRUE(labels_.removeAliases(project_, "x", {"prod", "never"}));
  EXPECT_EQ(codeOf(objects_.find(project_, "x", "prod", true)), ErrorCode::kNotFound);
  EXPECT_EQ(objects_.find(project_, "y", "prod", true)->value, "1");
}

TEST_P(LabelsOfObjects, RequireALiveVersion) {
  publish("x", "1");
  EXPECT_EQ(codeOf(labels_.addTags({project_, "x", "v1"}, {"a"})), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(labels_.addTags({other_, "x", "v0"}, {"a"})), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(labels_.removeTags({project_, "y", "v0"}, {"a"})), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(labels_.setAliases({project_, "x", "nope"}, {"a"})), ErrorCode::kNotFound);
  EXPECT_TRUE(labels_.removeAliases(project_, "y", {"a"}));
  ASSERT_TRUE(objects_.remove(project_, "x", std::nullopt));
  EXPECT_EQ(codeOf(labels_.addTags({project_, "x", "v0"}, {"a"})), ErrorCode::kNotFound);
}

TEST_P(LabelsOfObjects, AreDeletedWithTheirVersionAndNotRestored) {
  publish("x", "1");
  publish("x", "2");
  ASSERT_TRUE(labels_.addTags({project_, "x", "v0"}, {"t"}));
  ASSERT_TRUE(labels_.setAliases({project_, "x", "v0"}, {"a"}));
  ASSERT_TRUE(objects_.remove(project_, "x", Texts{"a"}));
  EXPECT_EQ(*labels_.tags(project_), Texts{});
  EXPECT_EQ(*labels_.aliases(project_), Texts{"latest"});
  publish("x", "1");
  EXPECT_EQ(labelsOf("x", "v0").tags, Texts{});
  EXPECT_EQ(labelsOf("x", "v0").aliases, Texts{"latest"});
  ASSERT_TRUE(objects_.remove(project_, "x", std::nullopt));
  EXPECT_EQ(*labels_.aliases(project_), Texts{});
}

SPINDLE_ON_BOTH_ENGINES(LabelsOfObjects);

}  // namespace
}  // namespace spindle::objects
