#include <thread>

#include "registry/repositories/registry_for_test.h"

namespace spindle::registry {
namespace {

using std::chrono::hours;

class Versions : public RegistryContract {};

TEST_P(Versions, GoFromPendingToCommitted) {
  NewVersion fresh = holding("hello\n");
  fresh.manifest.push_back(file("dir/b.bin", std::string_view("\0\1", 2)));
  fresh.metadata = R"({"acc":0.930})";
  fresh.description = "first";
  fresh.aliases = {"best"};
  fresh.tags = {"good"};
  fresh.run_id = "run1";
  const VersionRepository::BeginResult begun = begin(fresh);
  EXPECT_FALSE(begun.deduplicated);
  EXPECT_EQ(begun.version.state, VersionState::kPending);
  EXPECT_EQ(begun.version.index, std::nullopt);
  EXPECT_EQ(begun.version.digest, "0c9bd2fc68f0743e201b662c0681b4d6");
  ASSERT_EQ(begun.missing.size(), 2U);
  EXPECT_EQ(begun.missing[0].path, "a.txt");
  EXPECT_EQ(begun.missing[1].path, "dir/b.bin");
  EXPECT_EQ(raised(), Names{});

  const Result<Version> early = versions_.commit(place_, actor_, "data", begun.version.id);
  EXPECT_EQ(reasonOf(early), "missing_files");
  ASSERT_EQ(early.error().members().size(), 1U);
  EXPECT_EQ(early.error().members()[0].second, R"(["a.txt","dir/b.bin"])");

  ASSERT_TRUE(upload(begun.version.id, "hello\n"));
  ASSERT_TRUE(upload(begun.version.id, std::string_view("\0\1", 2)));
  const Result<Version> version = versions_.commit(place_, actor_, "data", begun.version.id);
  ASSERT_TRUE(version);
  EXPECT_EQ(version->state, VersionState::kCommitted);
  EXPECT_EQ(version->index, 0);
  EXPECT_EQ(version->collection, "data");
  EXPECT_EQ(version->type, "dataset");
  EXPECT_EQ(version->size_bytes, 8);
  EXPECT_EQ(version->file_count, 2);
  EXPECT_EQ(version->metadata, R"({"acc":0.930})");
  EXPECT_EQ(version->description, "first");
  EXPECT_EQ(version->run_id, "run1");
  EXPECT_EQ(version->aliases, (Names{"best", "latest"}));
  EXPECT_EQ(version->tags, Names{"good"});
  EXPECT_EQ(version->created_by, "anna");
  EXPECT_TRUE(version->committed_at);
  EXPECT_EQ(raised(), (Names{"CREATE_ARTIFACT", "ADD_ARTIFACT_ALIAS best",
                             "ADD_ARTIFACT_ALIAS latest", "ADD_ARTIFACT_TAG good"}));
  EXPECT_EQ(last_.subject.artifact_id, version->id);
  EXPECT_EQ(last_.data,
            R"({"entity_name":"team","project_name":"project","artifact_collection_name":"data",)"
            R"("artifact_type":"dataset","artifact_id":)" +
                std::to_string(version->id) +
                R"(,"artifact_version_index":0,"artifact_metadata":{"acc":0.930},"tag":"good"})");
}

TEST_P(Versions, AreCommittedOnce) {
  const Version version = committed("a");
  raised();
  const Result<Version> again = versions_.commit(place_, actor_, "data", version.id);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->index, 0);
  EXPECT_EQ(again->revision, version.revision);
  EXPECT_EQ(raised(), Names{});
}

TEST_P(Versions, AreNumberedInTheirCollectionAndLatestFollows) {
  EXPECT_EQ(committed("a").index, 0);
  EXPECT_EQ(committed("b").index, 1);
  EXPECT_EQ(found({.index = 0, .id = {}, .alias = {}}).aliases, Names{});
  EXPECT_EQ(found({.index = {}, .id = {}, .alias = "latest"}).index, 1);
  NewVersion elsewhere = holding("c");
  elsewhere.collection = "other";
  EXPECT_EQ(committed(elsewhere, "c").index, 0);
}

TEST_P(Versions, DoNotReuseNumbers) {
  const Version first = committed("a");
  ASSERT_TRUE(versions_.remove(place_.project_id, "data", byId(first.id), true));
  EXPECT_EQ(committed("a").index, 1);
}

TEST_P(Versions, WithTheSameContentAreDeduplicated) {
  const Version first = committed("a");
  committed("b");
  raised();
  NewVersion again = holding("a");
  again.aliases = {"again"};
  again.tags = {"good"};
  const VersionRepository::BeginResult begun = begin(again);
  EXPECT_TRUE(begun.deduplicated);
  EXPECT_EQ(begun.version.id, first.id);
  EXPECT_EQ(begun.version.state, VersionState::kCommitted);
  EXPECT_EQ(begun.version.index, 0);
  EXPECT_EQ(begun.version.aliases, Names{"again"});
  EXPECT_TRUE(begun.missing.empty());
  EXPECT_EQ(raised(), (Names{"ADD_ARTIFACT_ALIAS again", "ADD_ARTIFACT_TAG good"}));
  begin(again);
  EXPECT_EQ(raised(), Names{});
}

TEST_P(Versions, UploadFilesOncePerTeam) {
  const Version first = committed("a");
  NewVersion elsewhere = holding("a");
  elsewhere.collection = "other";
  elsewhere.manifest.push_back(file("copy.txt", "a"));
  elsewhere.manifest.push_back(file("new.txt", "b"));
  elsewhere.manifest.push_back(file("new too.txt", "b"));
  const VersionRepository::BeginResult begun = begin(elsewhere);
  ASSERT_EQ(begun.missing.size(), 1U);
  EXPECT_EQ(begun.missing[0].path, "new too.txt");
  const Result<ManifestEntry> known = versions_.entry(begun.version.id, "copy.txt");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->birth_id, first.id);
}

TEST_P(Versions, ReferToExternalFiles) {
  NewVersion fresh = holding("a");
  fresh.manifest = {{.path = "far",
                     .digest = "etag",
                     .size = 12,
                     .ref = "s3://bucket/key",
                     .extra = R"({"x":1})"}};
  const VersionRepository::BeginResult begun = begin(fresh);
  EXPECT_TRUE(begun.missing.empty());
  ASSERT_TRUE(versions_.commit(place_, actor_, "data", begun.version.id));
  const Result<ManifestEntry> entry = versions_.entry(begun.version.id, "far");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->ref, "s3://bucket/key");
  EXPECT_EQ(entry->extra, R"({"x":1})");
  EXPECT_EQ(entry->birth_id, std::nullopt);
}

TEST_P(Versions, OfAnotherTypeAreRefused) {
  committed("a");
  NewVersion other = holding("b");
  other.type = "model";
  EXPECT_EQ(reasonOf(versions_.begin(place_, actor_, other)), "type_clash");
  other.collection = "source-1";
  other.type = "code";
  EXPECT_EQ(reasonOf(versions_.begin(place_, actor_, other)), "reserved_name");
}

TEST_P(Versions, PendingVersionsAreFoundByIdOnly) {
  const VersionRepository::BeginResult begun = begin(holding("a"));
  EXPECT_EQ(found(byId(begun.version.id)).state, VersionState::kPending);
  EXPECT_EQ(
      codeOf(versions_.find(place_.project_id, "data", {.index = {}, .id = {}, .alias = "latest"})),
      ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(versions_.locate(begun.version.id)), ErrorCode::kNotFound);
  const Result<identity::Page<Version>> page = versions_.list(place_.project_id, "data", {}, {});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->items.empty());
}

TEST_P(Versions, ListMissingFiles) {
  NewVersion fresh = holding("a");
  fresh.manifest.push_back(file("b.txt", "b"));
  const VersionRepository::BeginResult begun = begin(fresh);
  ASSERT_TRUE(upload(begun.version.id, "a"));
  const Result<std::vector<ManifestEntry>> missing =
      versions_.missing(place_, "data", begun.version.id, {"a.txt", "b.txt"});
  ASSERT_TRUE(missing);
  ASSERT_EQ(missing->size(), 1U);
  EXPECT_EQ((*missing)[0].path, "b.txt");
  EXPECT_EQ(codeOf(versions_.missing(place_, "data", begun.version.id, {"c.txt"})),
            ErrorCode::kInvalidArgument);
  ASSERT_TRUE(upload(begun.version.id, "b"));
  ASSERT_TRUE(versions_.commit(place_, actor_, "data", begun.version.id));
  EXPECT_EQ(reasonOf(versions_.missing(place_, "data", begun.version.id, {"a.txt"})),
            "not_pending");
}

TEST_P(Versions, AreListedByNumber) {
  for (const char* bytes : {"a", "b", "c"}) committed(bytes);
  NewVersion tagged = holding("d");
  tagged.tags = {"good"};
  committed(tagged, "d");
  const Result<identity::Page<Version>> first =
      versions_.list(place_.project_id, "data", {}, {.limit = 3, .after = ""});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->items.size(), 3U);
  EXPECT_EQ(first->items[0].index, 3);
  EXPECT_EQ(first->items[0].tags, Names{"good"});
  ASSERT_TRUE(first->next);
  const Result<identity::Page<Version>> rest =
      versions_.list(place_.project_id, "data", {}, {.limit = 3, .after = *first->next});
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->items.size(), 1U);
  EXPECT_EQ(rest->items[0].index, 0);
  const Result<identity::Page<Version>> good =
      versions_.list(place_.project_id, "data", {.tag = "good", .alias = {}}, {});
  ASSERT_TRUE(good);
  EXPECT_EQ(good->items.size(), 1U);
  const Result<identity::Page<Version>> latest =
      versions_.list(place_.project_id, "data", {.tag = {}, .alias = "latest"}, {});
  ASSERT_TRUE(latest);
  ASSERT_EQ(latest->items.size(), 1U);
  EXPECT_EQ(latest->items[0].index, 3);
}

TEST_P(Versions, HaveMutableMetadata) {
  const Version version = committed("a");
  VersionChange change;
  change.metadata = R"({"a":1,"b":2})";
  change.description = std::optional<std::string>("text");
  const Result<Version> replaced =
      versions_.update(place_.project_id, "data", byId(version.id), change, version.revision);
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->metadata, R"({"a":1,"b":2})");
  EXPECT_EQ(replaced->description, "text");
  EXPECT_EQ(replaced->revision, version.revision + 1);
  VersionChange merge;
  merge.metadata_merge = R"({"b":3})";
  merge.description = std::optional<std::string>();
  const Result<Version> merged =
      versions_.update(place_.project_id, "data", byId(version.id), merge);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->metadata, R"({"a":1,"b":3})");
  EXPECT_EQ(merged->description, std::nullopt);
  EXPECT_EQ(codeOf(versions_.update(place_.project_id, "data", byId(version.id), merge,
                                    version.revision)),
            ErrorCode::kPreconditionFailed);
  std::string many = "{";
  for (int i = 0; i < 99; ++i) many += (i > 0 ? ",\"m" : "\"m") + std::to_string(i) + "\":0";
  merge.metadata_merge = many + "}";
  EXPECT_EQ(codeOf(versions_.update(place_.project_id, "data", byId(version.id), merge)),
            ErrorCode::kInvalidArgument);
}

TEST_P(Versions, AreRemovedWithAliasesOnlyOnRequest) {
  const Version first = committed("a");
  const Version second = committed("b");
  raised();
  EXPECT_EQ(reasonOf(versions_.remove(place_.project_id, "data", byId(second.id), false)),
            "has_aliases");
  EXPECT_EQ(codeOf(versions_.remove(place_.project_id, "data", byId(second.id), true, 99)),
            ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(versions_.remove(place_.project_id, "data", byId(second.id), true));
  EXPECT_EQ(codeOf(versions_.remove(place_.project_id, "data", byId(second.id), true)),
            ErrorCode::kNotFound);
  EXPECT_EQ(found({.index = {}, .id = {}, .alias = "latest"}).id, first.id);
  EXPECT_EQ(raised(), Names{});
  ASSERT_TRUE(versions_.remove(place_.project_id, "data", byId(first.id), true));
  EXPECT_EQ(
      codeOf(versions_.find(place_.project_id, "data", {.index = {}, .id = {}, .alias = "latest"})),
      ErrorCode::kNotFound);
}

TEST_P(Versions, ExpireByTheirOwnOrTheTeamsTtl) {
  NewVersion brief = holding("a");
  brief.ttl_seconds = 3600;
  const Version own = committed(brief, "a");
  EXPECT_EQ(own.expires_at, own.created_at + hours(1));
  NewVersion lasting = holding("b");
  lasting.ttl_seconds = kNoTtl;
  const Version for_ever = committed(lasting, "b");
  const Version inherited = committed("c");
  EXPECT_EQ(inherited.expires_at, std::nullopt);
  identity::TeamChange days;
  days.default_artifact_ttl_days = std::optional<std::int64_t>(2);
  ASSERT_TRUE(teams_.update("team", days));
  EXPECT_EQ(found(byId(inherited.id)).expires_at, inherited.created_at + hours(48));
  EXPECT_EQ(found(byId(for_ever.id)).expires_at, std::nullopt);
  NewVersion code = holding("d");
  code.collection = "mine";
  code.type = "code";
  EXPECT_EQ(committed(code, "d").expires_at, std::nullopt);

  clock_.advance(hours(1));
  Result<std::int64_t> expired = versions_.expire();
  ASSERT_TRUE(expired);
  EXPECT_EQ(*expired, 1);
  EXPECT_EQ(codeOf(versions_.find(place_.project_id, "data", byId(own.id))), ErrorCode::kNotFound);
  clock_.advance(hours(47));
  expired = versions_.expire();
  ASSERT_TRUE(expired);
  EXPECT_EQ(*expired, 1);
  EXPECT_EQ(found({.index = {}, .id = {}, .alias = "latest"}).id, for_ever.id);
}

TEST_P(Versions, PendingVersionsExpireAfterADay) {
  const VersionRepository::BeginResult begun = begin(holding("a"));
  clock_.advance(hours(24));
  const Result<std::int64_t> expired = versions_.expire();
  ASSERT_TRUE(expired);
  EXPECT_EQ(*expired, 1);
  EXPECT_EQ(codeOf(versions_.commit(place_, actor_, "data", begun.version.id)),
            ErrorCode::kNotFound);
}

TEST_P(Versions, ListTheirEntriesByPath) {
  NewVersion fresh = holding("a");
  for (int i = 0; i < 250; ++i) {
    fresh.manifest.push_back(file("dir/" + std::to_string(i), std::to_string(i)));
  }
  const std::int64_t id = begin(fresh).version.id;
  const Result<std::vector<ManifestEntry>> all = versions_.entries(id, "", "", 1000);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 251U);
  const Result<std::vector<ManifestEntry>> some = versions_.entries(id, "dir/24", "dir/241", 1000);
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 8U);
  EXPECT_EQ(some->front().path, "dir/242");
  EXPECT_EQ(codeOf(versions_.entry(id, "dir")), ErrorCode::kNotFound);
}

TEST_P(Versions, AreFoundByTheirIdAlone) {
  const Version version = committed("a");
  const Result<std::vector<VersionLocation>> places = versions_.locate(version.id);
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 1U);
  EXPECT_EQ(places->front().place.entity, "team");
  EXPECT_EQ(places->front().place.project, "project");
  EXPECT_EQ(places->front().place.project_id, place_.project_id);
  EXPECT_EQ(places->front().collection, "data");
}

TEST_P(Versions, CommittedConcurrentlyGetUniqueNumbers) {
  constexpr int kMany = 8;
  std::vector<std::int64_t> ids;
  for (int i = 0; i < kMany; ++i) {
    const std::string bytes = std::to_string(i);
    const VersionRepository::BeginResult begun = begin(holding(bytes));
    ASSERT_TRUE(upload(begun.version.id, bytes));
    ids.push_back(begun.version.id);
  }
  std::vector<std::thread> threads;
  threads.reserve(ids.size());
  for (const std::int64_t id : ids) {
    threads.emplace_back([this, id] { EXPECT_TRUE(versions_.commit(place_, actor_, "data", id)); });
  }
  for (std::thread& thread : threads) thread.join();
  const Result<identity::Page<Version>> page = versions_.list(place_.project_id, "data", {}, {});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->items.size(), static_cast<std::size_t>(kMany));
  for (int i = 0; i < kMany; ++i) EXPECT_EQ(page->items[i].index, kMany - 1 - i);
  EXPECT_EQ(page->items[0].aliases, Names{"latest"});
}

SPINDLE_ON_BOTH_ENGINES(Versions);

}  // namespace
}  // namespace spindle::registry
