#include "registry/repositories/link_repository.h"

#include "registry/repositories/registry_for_test.h"

namespace spindle::registry {
namespace {

class Links : public RegistryContract {
 protected:
  Version shown(const Place& place, const std::string& collection, const VersionName& name) {
    Result<Version> version = versions_.find(place.id(), collection, name);
    EXPECT_TRUE(version);
    return version ? *std::move(version) : Version();
  }
  static VersionName byIndex(std::int64_t index) { return {.index = index, .id = {}, .alias = {}}; }
  static VersionName byAlias(const std::string& alias) {
    return {.index = {}, .id = {}, .alias = alias};
  }
  NewVersion model(const std::string& bytes) {
    NewVersion fresh = holding(bytes);
    fresh.collection = "net";
    fresh.type = "model";
    return fresh;
  }
  Actor guard() const { return {actor_.user_id, actor_.username, true}; }
};

TEST_P(Links, HaveTheirOwnNumbersAndAliases) {
  const Version first = committed("a");
  const Version second = committed("b");
  const Place place = registry("models");
  raised();
  const Membership newer = linked(place, "things", second.id, {"prod"});
  EXPECT_TRUE(newer.created);
  EXPECT_TRUE(newer.id.starts_with("mem_"));
  EXPECT_EQ(newer.version.index, 0);
  EXPECT_EQ(newer.version.aliases, (Names{"latest", "prod"}));
  EXPECT_EQ(textOf(*newer.version.source), "team/project/data:v1");
  EXPECT_EQ(raised(),
            (Names{"LINK_ARTIFACT", "ADD_ARTIFACT_ALIAS prod", "ADD_ARTIFACT_ALIAS latest"}));
  EXPECT_EQ(last_.subject.team_id, "");
  EXPECT_EQ(last_.subject.project_id, "");
  EXPECT_EQ(last_.subject.registry_id, place.registry_id);
  EXPECT_EQ(last_.subject.artifact_id, second.id);
  EXPECT_EQ(last_.data,
            R"({"entity_name":"organization","project_name":"svc-registry-models",)"
            R"("registry_name":"models","artifact_collection_name":"things",)"
            R"("artifact_type":"dataset","artifact_id":)" +
                std::to_string(second.id) +
                R"(,"artifact_version_index":0,"artifact_metadata":{},"alias":"latest"})");
  const Membership older = linked(place, "things", first.id);
  EXPECT_EQ(older.version.index, 1);
  EXPECT_EQ(older.version.aliases, Names{"latest"});
  EXPECT_EQ(raised(), (Names{"LINK_ARTIFACT", "ADD_ARTIFACT_ALIAS latest"}));
  EXPECT_EQ(shown(place, "things", byIndex(0)).aliases, Names{"prod"});
  EXPECT_EQ(shown(place, "things", byAlias("prod")).id, second.id);
  EXPECT_EQ(shown(place, "things", byId(first.id)).index, 1);
  EXPECT_EQ(found(byId(second.id)).aliases, Names{"latest"});
  EXPECT_EQ(found(byId(second.id)).source, std::nullopt);
}

TEST_P(Links, AreCreatedOnce) {
  const Version version = committed("a");
  const Place place = registry("models");
  const Membership first = linked(place, "things", version.id, {"prod"});
  raised();
  const Membership again = linked(place, "things", version.id, {"prod", "best"});
  EXPECT_FALSE(again.created);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.version.index, 0);
  EXPECT_EQ(again.version.aliases, (Names{"best", "latest", "prod"}));
  EXPECT_EQ(raised(), Names{"ADD_ARTIFACT_ALIAS best"});
}

TEST_P(Links, WorkInProjects) {
  const Version version = committed("a");
  raised();
  const Membership link = linked(place_, "chosen", version.id);
  EXPECT_EQ(link.version.index, 0);
  EXPECT_EQ(raised(), (Names{"LINK_ARTIFACT", "ADD_ARTIFACT_ALIAS latest"}));
  EXPECT_EQ(last_.subject.team_id, place_.team_id);
  EXPECT_EQ(last_.subject.project_id, place_.project_id);
  EXPECT_EQ(last_.subject.registry_id, "");
  EXPECT_EQ(collections_.find(place_.id(), "chosen")->kind, CollectionKind::kLinked);
  EXPECT_EQ(reasonOf(links_.link(place_, actor_, "data", version.id, {})), "source_collection");
  NewVersion into = holding("b");
  into.collection = "chosen";
  EXPECT_EQ(reasonOf(versions_.begin(place_, actor_, into)), "linked_collection");
}

TEST_P(Links, MustMatchTheTypesOfCollectionAndRegistry) {
  const Version dataset = committed("a");
  const Version net = committed(model("b"), "b");
  const Place place = registry("models", {"model"});
  EXPECT_EQ(reasonOf(links_.link(place, actor_, "nets", dataset.id, {})), "type_not_accepted");
  linked(place, "nets", net.id);
  EXPECT_EQ(collections_.find(place.id(), "nets")->type, "model");
  EXPECT_EQ(reasonOf(links_.link(place, actor_, "nets", dataset.id, {})), "type_clash");
  const Result<Collection> other = collections_.insert(
      place, actor_, {.name = "data", .type = "dataset", .description = "", .tags = {}});
  EXPECT_EQ(reasonOf(other), "type_not_accepted");
}

TEST_P(Links, NeedACommittedVersion) {
  const VersionRepository::BeginResult begun = begin(holding("a"));
  const Place place = registry("models");
  EXPECT_EQ(codeOf(links_.link(place, actor_, "things", begun.version.id, {})),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(links_.link(place, actor_, "things", 999'999, {})), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(collections_.find(place.id(), "things")), ErrorCode::kNotFound);
}

TEST_P(Links, RefuseVersionsOfPersonalTeams) {
  const identity::User user = person("carla");
  const identity::Team own = team("carla", user);
  const identity::Project theirs = project(own, "lab", user);
  const Place home{own.id, theirs.id, "carla", "lab"};
  Result<VersionRepository::BeginResult> begun = versions_.begin(home, actor_, holding("a"));
  ASSERT_TRUE(begun);
  BlobUrlClaims grant = grantFor(begun->version.id, "a");
  grant.team_id = own.id;
  Result<std::unique_ptr<BlobReceiver>> intake = blobs_.receive(grant);
  ASSERT_TRUE(intake && (*intake)->add("a") && (*intake)->finish());
  ASSERT_TRUE(versions_.commit(home, actor_, "data", begun->version.id));
  const Place place = registry("models");
  const Result<Membership> refused = links_.link(place, actor_, "things", begun->version.id, {});
  EXPECT_EQ(codeOf(refused), ErrorCode::kInvalidArgument);
  EXPECT_EQ(reasonOf(refused), "personal_entity");
  EXPECT_TRUE(links_.link(home, actor_, "chosen", begun->version.id, {}));
  join(own, user_, identity::TeamRole::kMember);
  EXPECT_TRUE(links_.link(place, actor_, "things", begun->version.id, {}));
}

TEST_P(Links, AreRemovedWithTheirAliases) {
  const Version first = committed("a");
  const Version second = committed("b");
  const Place place = registry("models");
  linked(place, "things", first.id);
  linked(place, "things", second.id, {"prod"});
  raised();
  ASSERT_TRUE(links_.unlink(place, actor_, "things", byIndex(1)));
  EXPECT_EQ(raised(), Names{"UNLINK_ARTIFACT"});
  EXPECT_EQ(last_.subject.artifact_id, second.id);
  EXPECT_NE(last_.data.find(R"("artifact_version_index":1)"), std::string::npos);
  EXPECT_EQ(shown(place, "things", byAlias("latest")).id, first.id);
  EXPECT_EQ(codeOf(versions_.find(place.id(), "things", byAlias("prod"))), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(links_.unlink(place, actor_, "things", byIndex(1))), ErrorCode::kNotFound);
  EXPECT_EQ(found(byId(second.id)).state, VersionState::kCommitted);
  EXPECT_EQ(linked(place, "things", second.id).version.index, 2);
  EXPECT_EQ(reasonOf(links_.unlink(place_, actor_, "data", byId(first.id))), "source_collection");
  EXPECT_EQ(codeOf(links_.unlink(place, actor_, "things", byIndex(2), 99)),
            ErrorCode::kPreconditionFailed);
}

TEST_P(Links, InARegistryDisableTheTimeToLive) {
  NewVersion brief = holding("a");
  brief.ttl_seconds = 3600;
  const Version version = committed(brief, "a");
  linked(place_, "chosen", version.id);
  EXPECT_EQ(found(byId(version.id)).ttl_seconds, 3600);
  const Place place = registry("models");
  linked(place, "things", version.id);
  EXPECT_EQ(found(byId(version.id)).ttl_seconds, kNoTtl);
  VersionChange change;
  change.ttl_seconds = 3600;
  EXPECT_EQ(reasonOf(versions_.update(place.id(), "things", byIndex(0), change)), "ttl_on_link");
  EXPECT_EQ(reasonOf(versions_.update(place_.id(), "data", byId(version.id), change)),
            "ttl_on_link");
  ASSERT_TRUE(links_.unlink(place, actor_, "things", byIndex(0)));
  EXPECT_EQ(found(byId(version.id)).ttl_seconds, kNoTtl);
  EXPECT_TRUE(versions_.update(place_.id(), "data", byId(version.id), change));
}

TEST_P(Links, UpdateTheSourceVersion) {
  const Version version = committed("a");
  const Place place = registry("models");
  linked(place, "things", version.id);
  VersionChange change;
  change.metadata = R"({"a":1})";
  const Result<Version> changed = versions_.update(place.id(), "things", byIndex(0), change);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->collection, "things");
  EXPECT_EQ(found(byId(version.id)).metadata, R"({"a":1})");
}

TEST_P(Links, ShareTagsAndRaiseOneChange) {
  const Version version = committed("a");
  const Place place = registry("models");
  linked(place, "things", version.id);
  linked(place_, "chosen", version.id);
  raised();
  ASSERT_TRUE(labels_.putTag({place, actor_, "things", byIndex(0)}, "good"));
  const Result<std::vector<events::Event>> events = outbox_.after(seen_, 10);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 3U);
  Names change_ids;
  Names collections;
  for (const events::Event& event : *events) {
    EXPECT_EQ(event.type, events::EventType::kAddArtifactTag);
    change_ids.push_back(event.change_id);
    collections.push_back(event.subject.collection_id);
  }
  EXPECT_EQ(change_ids, Names(3, change_ids.front()));
  EXPECT_EQ(collections.front(), version.collection_id);
  std::sort(collections.begin(), collections.end());
  EXPECT_EQ(std::unique(collections.begin(), collections.end()), collections.end());
  raised();
  ASSERT_TRUE(labels_.putTag({place_, actor_, "data", byId(version.id)}, "good"));
  EXPECT_EQ(raised(), Names{});
  EXPECT_EQ(found(byId(version.id)).tags, Names{"good"});
  ASSERT_TRUE(labels_.removeTag({place_, actor_, "data", byId(version.id)}, "good"));
  EXPECT_EQ(raised(), Names(3, "REMOVE_ARTIFACT_TAG good"));
}

TEST_P(Links, MoveAliasesWithinTheirCollection) {
  const Version first = committed("a");
  const Version second = committed("b");
  const Place place = registry("models");
  linked(place, "things", first.id, {"prod"});
  linked(place, "things", second.id);
  raised();
  ASSERT_TRUE(labels_.putAlias({place, actor_, "things", byIndex(1)}, "prod"));
  EXPECT_EQ(raised(), Names{"ADD_ARTIFACT_ALIAS prod"});
  ASSERT_TRUE(labels_.putAlias({place, actor_, "things", byIndex(1)}, "prod"));
  EXPECT_EQ(raised(), Names{});
  EXPECT_EQ(shown(place, "things", byIndex(0)).aliases, Names{});
  ASSERT_TRUE(labels_.removeAlias({place, actor_, "things", byIndex(1)}, "prod"));
  EXPECT_EQ(raised(), Names{});
}

TEST_P(Links, WithProtectedAliasesNeedPermission) {
  const Version first = committed("a");
  const Version second = committed("b");
  const Place place = registry("models");
  ASSERT_TRUE(registries_.protect(place.registry_id, "prod"));
  EXPECT_EQ(reasonOf(links_.link(place, actor_, "things", first.id, {"prod"})), "protected_alias");
  EXPECT_EQ(codeOf(versions_.find(place.id(), "things", byIndex(0))), ErrorCode::kNotFound);
  linked(place, "things", first.id);
  const Result<void> put = labels_.putAlias({place, actor_, "things", byIndex(0)}, "prod");
  EXPECT_EQ(codeOf(put), ErrorCode::kPermissionDenied);
  ASSERT_TRUE(labels_.putAlias({place, guard(), "things", byIndex(0)}, "prod"));
  EXPECT_EQ(reasonOf(labels_.removeAlias({place, actor_, "things", byIndex(0)}, "prod")),
            "protected_alias");
  EXPECT_EQ(reasonOf(links_.unlink(place, actor_, "things", byIndex(0))), "protected_alias");
  EXPECT_EQ(reasonOf(versions_.remove(place_.id(), "data", byId(first.id), true)),
            "protected_alias");
  EXPECT_EQ(reasonOf(collections_.remove(place_.id(), "data")), "protected_alias");
  EXPECT_EQ(reasonOf(collections_.remove(place.id(), "things")), "protected_alias");
  linked(place, "things", second.id);
  ASSERT_TRUE(links_.unlink(place, actor_, "things", byIndex(1)));
  ASSERT_TRUE(links_.unlink(place, guard(), "things", byIndex(0)));
  ASSERT_TRUE(versions_.remove(place_.id(), "data", byId(first.id), true));
}

TEST_P(Links, AreRemovedWithTheVersion) {
  const Version first = committed("a");
  const Version second = committed("b");
  const Place place = registry("models");
  linked(place, "things", first.id);
  linked(place, "things", second.id);
  ASSERT_TRUE(labels_.removeAlias({place_, actor_, "data", byId(second.id)}, "latest"));
  raised();
  EXPECT_EQ(reasonOf(versions_.remove(place_.id(), "data", byId(second.id), false)), "has_aliases");
  ASSERT_TRUE(versions_.remove(place_.id(), "data", byId(second.id), true));
  EXPECT_EQ(shown(place, "things", byAlias("latest")).id, first.id);
  EXPECT_EQ(raised(), Names{});
  EXPECT_EQ(reasonOf(versions_.remove(place.id(), "things", byIndex(0), true)),
            "linked_collection");
  ASSERT_TRUE(collections_.remove(place_.id(), "data"));
  EXPECT_EQ(codeOf(versions_.find(place.id(), "things", byIndex(0))), ErrorCode::kNotFound);
}

TEST_P(Links, AreListedByTheirNumbers) {
  const Place place = registry("models");
  std::vector<std::int64_t> ids;
  for (const char* bytes : {"a", "b", "c"}) ids.push_back(committed(bytes).id);
  linked(place, "things", ids[2]);
  linked(place, "things", ids[0], {"prod"});
  linked(place, "things", ids[1]);
  const Result<identity::Page<Version>> first =
      versions_.list(place.id(), "things", {}, {.limit = 2, .after = ""});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].id, ids[1]);
  EXPECT_EQ(first->items[1].id, ids[0]);
  const Result<identity::Page<Version>> rest =
      versions_.list(place.id(), "things", {}, {.limit = 2, .after = *first->next});
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->items.size(), 1U);
  EXPECT_EQ(rest->items[0].id, ids[2]);
  const Result<identity::Page<Version>> prod =
      versions_.list(place.id(), "things", {.tag = {}, .alias = "prod"}, {});
  ASSERT_TRUE(prod);
  ASSERT_EQ(prod->items.size(), 1U);
  EXPECT_EQ(prod->items[0].index, 1);
  const Result<std::vector<VersionLocation>> places = versions_.locate(ids[0]);
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 2U);
  EXPECT_EQ((*places)[1].place.registry, "models");
  EXPECT_EQ((*places)[1].collection, "things");
}

TEST_P(Links, WithProtectedAliasesBlockTheRemovalOfAProject) {
  const Version version = committed("a");
  const Place place = registry("models");
  linked(place, "things", version.id, {"prod"});
  ASSERT_TRUE(registries_.protect(place.registry_id, "prod"));
  EXPECT_EQ(reasonOf(collections_.unlinkVersionsOfProject(place_.project_id)), "protected_alias");
  EXPECT_EQ(reasonOf(collections_.unlinkVersionsOfTeam(place_.team_id)), "protected_alias");
  ASSERT_TRUE(registries_.unprotect(place.registry_id, "prod"));
  ASSERT_TRUE(collections_.unlinkVersionsOfProject(place_.project_id));
  EXPECT_EQ(codeOf(versions_.find(place.id(), "things", byIndex(0))), ErrorCode::kNotFound);
  const Version again = committed("b");
  linked(place, "things", again.id);
  ASSERT_TRUE(collections_.unlinkVersionsOfTeam(place_.team_id));
  EXPECT_EQ(codeOf(versions_.find(place.id(), "things", byIndex(1))), ErrorCode::kNotFound);
  ASSERT_TRUE(projects_.remove(place_.project_id));
}

TEST_P(Links, AreRemovedWithTheirCollectionButVersionsStay) {
  const Version version = committed("a");
  const Place place = registry("models");
  linked(place, "things", version.id);
  raised();
  ASSERT_TRUE(collections_.remove(place.id(), "things"));
  EXPECT_EQ(raised(), Names{});
  EXPECT_EQ(found(byId(version.id)).state, VersionState::kCommitted);
  EXPECT_EQ(linked(place, "things", version.id).version.index, 0);
}

SPINDLE_ON_BOTH_ENGINES(Links);

}  // namespace
}  // namespace spindle::registry
