#include "registry/repositories/registry_for_test.h"

namespace spindle::registry {
namespace {

class Collections : public RegistryContract {
 protected:
  Collection made(const std::string& name, const std::string& type = "model") {
    Result<Collection> collection = collections_.insert(
        place_, actor_, {.name = name, .type = type, .description = "", .tags = {}});
    EXPECT_TRUE(collection) << name;
    return collection ? *std::move(collection) : Collection();
  }
};

TEST_P(Collections, StoreTheirMetadata) {
  const Result<Collection> fresh = collections_.insert(
      place_, actor_,
      {.name = "my model", .type = "model", .description = "☃", .tags = {"b", "a", "b"}});
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(fresh->id.starts_with("col_"));
  const Result<Collection> found = collections_.find(place_.project_id, "my model");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, fresh->id);
  EXPECT_EQ(found->type, "model");
  EXPECT_EQ(found->description, "☃");
  EXPECT_EQ(found->tags, (Names{"a", "b"}));
  EXPECT_EQ(found->created_by, "anna");
  EXPECT_EQ(found->revision, 1);
  EXPECT_EQ(raised(), (Names{"ADD_COLLECTION_TAG b", "ADD_COLLECTION_TAG a"}));
}

TEST_P(Collections, HaveUniqueNamesAcrossTypes) {
  made("a");
  const Result<Collection> again = collections_.insert(
      place_, actor_, {.name = "a", .type = "dataset", .description = "", .tags = {}});
  EXPECT_EQ(codeOf(again), ErrorCode::kConflict);
  EXPECT_EQ(reasonOf(again), "collection_name_taken");
}

TEST_P(Collections, WithReservedNamesAreRefused) {
  const Result<Collection> job = collections_.insert(
      place_, actor_, {.name = "a", .type = "job", .description = "", .tags = {}});
  EXPECT_EQ(reasonOf(job), "reserved_name");
  made("mine", "code");
  const Result<Collection> renamed =
      collections_.update(place_.project_id, "mine", {.name = "source-x", .description = {}});
  EXPECT_EQ(reasonOf(renamed), "reserved_name");
}

TEST_P(Collections, AreListedNewestFirst) {
  for (const char* name : {"a", "b", "c"}) {
    made(name);
    clock_.advance(std::chrono::milliseconds(1));
  }
  const Result<identity::Page<Collection>> first =
      collections_.list(place_.project_id, {.limit = 2, .after = ""});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].name, "c");
  ASSERT_TRUE(first->next);
  const Result<identity::Page<Collection>> rest =
      collections_.list(place_.project_id, {.limit = 2, .after = *first->next});
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->items.size(), 1U);
  EXPECT_EQ(rest->items[0].name, "a");
  EXPECT_FALSE(rest->next);
}

TEST_P(Collections, AreListedByTypeInAllProjects) {
  const identity::Project other = project(team_, "other", user_);
  committed("hello");
  clock_.advance(std::chrono::milliseconds(1));
  const Place elsewhere{team_.id, other.id, "team", "other"};
  ASSERT_TRUE(collections_.insert(elsewhere, actor_, {"adapters", "lora", "", {}}));
  clock_.advance(std::chrono::milliseconds(1));
  ASSERT_TRUE(collections_.insert(place_, actor_, {"more", "lora", "", {}}));
  const Result<identity::Page<CollectionLocation>> found =
      collections_.listOfType("lora", {.limit = 1, .after = ""});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->items.size(), 1U);
  EXPECT_EQ(found->items[0].name, "more");
  EXPECT_EQ(found->items[0].place.project, "project");
  ASSERT_TRUE(found->next);
  const Result<identity::Page<CollectionLocation>> rest =
      collections_.listOfType("lora", {.limit = 1, .after = *found->next});
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->items.size(), 1U);
  EXPECT_EQ(rest->items[0].place.entity, "team");
  EXPECT_EQ(rest->items[0].place.project, "other");
  EXPECT_EQ(rest->items[0].place.project_id, other.id);
  EXPECT_EQ(rest->items[0].place.team_id, team_.id);
  EXPECT_FALSE(rest->next);
}

TEST_P(Collections, ListAliasesByPrefix) {
  NewVersion fresh = holding("hello");
  fresh.aliases = {"step1", "step20", "prod"};
  committed(fresh, "hello");
  Result<Names> aliases = collections_.aliases(place_.project_id, "data", "step");
  ASSERT_TRUE(aliases);
  std::sort(aliases->begin(), aliases->end());
  EXPECT_EQ(*aliases, (Names{"step1", "step20"}));
  EXPECT_EQ(codeOf(collections_.aliases(place_.project_id, "nothing", "step")),
            ErrorCode::kNotFound);
}

TEST_P(Collections, AreRenamedAndDescribed) {
  made("a");
  made("b");
  const Result<Collection> changed =
      collections_.update(place_.project_id, "a", {.name = "c", .description = "new"}, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->name, "c");
  EXPECT_EQ(changed->description, "new");
  EXPECT_EQ(changed->revision, 2);
  EXPECT_EQ(reasonOf(collections_.update(place_.project_id, "c", {.name = "b", .description = {}})),
            "collection_name_taken");
  EXPECT_EQ(
      codeOf(collections_.update(place_.project_id, "c", {.name = {}, .description = "x"}, 1)),
      ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(collections_.find(place_.project_id, "a")), ErrorCode::kNotFound);
}

TEST_P(Collections, RaiseAnEventOnlyWhenATagChanges) {
  made("a");
  ASSERT_TRUE(collections_.putTag(place_, actor_, "a", "good"));
  ASSERT_TRUE(collections_.putTag(place_, actor_, "a", "good"));
  EXPECT_EQ(raised(), Names{"ADD_COLLECTION_TAG good"});
  EXPECT_EQ(last_.author, "anna");
  EXPECT_EQ(last_.subject.project_id, place_.project_id);
  EXPECT_EQ(last_.subject.artifact_id, std::nullopt);
  EXPECT_EQ(last_.data,
            R"({"entity_name":"team","project_name":"project","artifact_collection_name":"a",)"
            R"("artifact_type":"model","tag":"good"})");
  ASSERT_TRUE(collections_.removeTag(place_, actor_, "a", "good"));
  EXPECT_EQ(codeOf(collections_.removeTag(place_, actor_, "a", "good")), ErrorCode::kNotFound);
  EXPECT_EQ(raised(), Names{"REMOVE_COLLECTION_TAG good"});
  EXPECT_EQ(codeOf(collections_.putTag(place_, actor_, "b", "good")), ErrorCode::kNotFound);
}

TEST_P(Collections, AreRemovedWithTheirVersions) {
  const Version version = committed("hello");
  raised();
  EXPECT_EQ(codeOf(collections_.remove(place_.project_id, "data", 77)),
            ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(collections_.remove(place_.project_id, "data"));
  EXPECT_EQ(codeOf(collections_.find(place_.project_id, "data")), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(collections_.remove(place_.project_id, "data")), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(versions_.locate(version.id)), ErrorCode::kNotFound);
  EXPECT_EQ(raised(), Names{});
  const Version fresh = committed("hello");
  EXPECT_NE(fresh.id, version.id);
  EXPECT_EQ(fresh.index, 0);
}

SPINDLE_ON_BOTH_ENGINES(Collections);

}  // namespace
}  // namespace spindle::registry
