#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/crypto/md5.h"
#include "events/migrations.h"
#include "events/outbox.h"
#include "identity/store/identity_for_test.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/blob_repository.h"
#include "registry/repositories/collection_repository.h"
#include "registry/repositories/link_repository.h"
#include "registry/repositories/migrations.h"
#include "registry/repositories/registry_repository.h"
#include "registry/repositories/version_label_repository.h"
#include "registry/repositories/version_repository.h"
#include "storage/blobs/folder_blob_store.h"

namespace spindle::registry {

using Names = std::vector<std::string>;

/// A fixture with the repositories of this area on an empty database of the engine under test, and
/// with a team, a member and a project.
class RegistryContract : public identity::IdentityTest {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    const identity::User user = person("anna");
    const identity::Team the_team = team("team", user);
    const identity::Project the_project = project(the_team, "project", user);
    actor_ = {user.id, user.username};
    user_ = user;
    team_ = the_team;
    place_ = {the_team.id, the_project.id, "team", "project"};
  }
  std::vector<storage::AreaSchema> schemas() const override {
    return {identity::identitySchema(), events::eventsSchema(), registrySchema()};
  }
  /// Returns the areas of this fixture and an area above them.
  static std::vector<storage::AreaSchema> schemasAnd(storage::AreaSchema above) {
    return {identity::identitySchema(), events::eventsSchema(), registrySchema(), std::move(above)};
  }

  /// Creates a registry that is visible to the organization; the actor is its admin.
  Place registry(const std::string& name, const std::vector<std::string>& types = {}) {
    Result<Registry> made = registries_.insert(
        actor_, {name, RegistryVisibility::kOrganization, /*description=*/"", types});
    EXPECT_TRUE(made) << name;
    return made ? registryPlace(made->id, made->name) : Place();
  }
  Membership linked(const Place& place,
                    const std::string& collection,
                    std::int64_t version_id,
                    const std::vector<std::string>& aliases = {}) {
    Result<Membership> made = links_.link(place, actor_, collection, version_id, aliases);
    EXPECT_TRUE(made) << (made ? "" : made.error().message());
    return made ? *std::move(made) : Membership();
  }

  static std::string digestOf(std::string_view bytes) { return encodeBase64(bytesOf(md5(bytes))); }
  static ManifestEntry file(const std::string& path, std::string_view bytes) {
    return {
        .path = path, .digest = digestOf(bytes), .size = static_cast<std::int64_t>(bytes.size())};
  }
  static NewVersion holding(const std::string& bytes) {
    return {.collection = "data", .type = "dataset", .manifest = {file("a.txt", bytes)}};
  }
  static VersionName byId(std::int64_t id) { return {.index = {}, .id = id, .alias = {}}; }

  Result<void> upload(std::int64_t version_id, std::string_view bytes) {
    std::unique_ptr<BlobReceiver> intake = TRY(blobs_.receive(grantFor(version_id, bytes)));
    TRY(intake->add(bytes));
    return intake->finish();
  }
  BlobUrlClaims grantFor(std::int64_t version_id, std::string_view bytes) const {
    BlobUrlClaims grant;
    grant.team_id = place_.team_id;
    grant.version_id = version_id;
    grant.blob = {digestOf(bytes), static_cast<std::int64_t>(bytes.size())};
    grant.expires_at = clock_.now() + std::chrono::hours(1);
    return grant;
  }
  VersionRepository::BeginResult begin(const NewVersion& fresh) {
    Result<VersionRepository::BeginResult> begun = versions_.begin(place_, actor_, fresh);
    EXPECT_TRUE(begun) << (begun ? "" : begun.error().message());
    return begun ? *std::move(begun) : VersionRepository::BeginResult();
  }
  /// Creates, uploads and commits a version with one file.
  Version committed(const NewVersion& fresh, const std::string& bytes) {
    const VersionRepository::BeginResult begun = begin(fresh);
    EXPECT_TRUE(begun.missing.empty() || upload(begun.version.id, bytes));
    Result<Version> version = versions_.commit(place_, actor_, fresh.collection, begun.version.id);
    EXPECT_TRUE(version) << (version ? "" : version.error().message());
    return version ? *std::move(version) : Version();
  }
  Version committed(const std::string& bytes) { return committed(holding(bytes), bytes); }
  Version found(const VersionName& name) {
    Result<Version> version = versions_.find(place_.project_id, "data", name);
    EXPECT_TRUE(version);
    return version ? *std::move(version) : Version();
  }

  /// Returns the events since the last call.
  std::vector<events::Event> newEvents() {
    Result<std::vector<events::Event>> all = outbox_.after(seen_, 1000);
    EXPECT_TRUE(all);
    if (!all || all->empty()) return {};
    last_ = all->back();
    seen_ = last_.position;
    return *std::move(all);
  }
  /// Returns the events since the last call as texts `<type> <alias or tag>`.
  std::vector<std::string> raised() {
    std::vector<std::string> shown;
    for (const events::Event& event : newEvents()) {
      std::string text(events::textOf(event.type));
      for (const std::string_view word : {R"("alias":")", R"("tag":")"}) {
        const std::size_t at = event.data.find(word);
        if (at == std::string::npos) continue;
        const std::size_t begin = at + word.size();
        text += " " + event.data.substr(begin, event.data.find('"', begin) - begin);
      }
      shown.push_back(std::move(text));
    }
    return shown;
  }

  storage::FolderForTest folder_;
  storage::FolderBlobStore store_{folder_.path() + "/files"};
  events::Outbox outbox_{*database_, clock_};
  CollectionRepository collections_{*database_, outbox_, clock_};
  VersionRepository versions_{*database_, outbox_, clock_};
  VersionLabelRepository labels_{outbox_, clock_};
  LinkRepository links_{outbox_, clock_};
  RegistryRepository registries_{*database_, clock_};
  BlobRepository blobs_{*database_, store_, clock_};
  identity::User user_;
  identity::Team team_;
  Actor actor_;
  Place place_;
  std::int64_t seen_ = 0;
  events::Event last_;
};

}  // namespace spindle::registry
