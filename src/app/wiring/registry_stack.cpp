#include "app/wiring/registry_stack.h"

#include "app/wiring/log.h"
#include "inference/catalogue/migrations.h"
#include "objects/store/migrations.h"
#include "registry/repositories/migrations.h"
#include "training/jobs/migrations.h"

namespace spindle::app {
namespace {

constexpr std::chrono::hours kBlobGrace{24};
/// 16 of 256 prefix folders: a pass over the whole store takes a quarter of an hour.
constexpr int kPrefixFoldersPerPass = 16;

}  // namespace

/// All areas share the blob store, so every column that refers to blobs must be listed here.
std::vector<storage::BlobColumn> blobColumns() {
  std::vector<storage::BlobColumn> columns = training::trainingBlobs();
  columns.push_back(registry::artifactBlobs());
  columns.push_back(objects::objectBlobs());
  columns.push_back(inference::inferenceBlobs());
  return columns;
}

RegistryStack::RegistryStack(IdentityStack& identity,
                             storage::BlobStore& blob_store,
                             const Clock& clock)
    : outbox(*identity.database, clock),
      collections(*identity.database, outbox, clock),
      versions(*identity.database, outbox, clock),
      labels(outbox, clock),
      links(outbox, clock),
      registries(*identity.database, clock),
      registry_access(registries),
      blobs(*identity.database, blob_store, clock),
      tokens(identity.key_ring.derive("artifact-blobs")),
      garbage_(*identity.database, clock),
      collector_(
          *identity.database, blob_store, blobColumns(), {clock, identity.schedule}, kBlobGrace),
      identity_(identity),
      clock_(clock) {
  identity.database->subscribe(storage::Database::kInsertedTopic, [this](std::string_view table) {
    if (table.empty() || table == "events") outbox.wake();
  });
}

registry::RegistryServices RegistryStack::services() {
  return {collections, versions, labels,           links,           registries, registry_access,
          blobs,       tokens,   identity_.access, identity_.teams, clock_};
}

identity::IdentityServices RegistryStack::identityServices() {
  return {identity_.users,
          identity_.teams,
          identity_.keys,
          identity_.access,
          identity_.preferences,
          [this](std::string_view team_id) { return collections.unlinkVersionsOfTeam(team_id); }};
}

identity::ProjectServices RegistryStack::projectServices() {
  return {identity_.projects, identity_.users, identity_.access,
          [this](std::string_view project_id) {
            return collections.unlinkVersionsOfProject(project_id);
          }};
}

void RegistryStack::runMaintenance() {
  logCount(versions.expire(), {.failed = "artifacts_not_expired", .done = "artifacts_expired"});
  collectGarbage();
}

void RegistryStack::collectGarbage() {
  Result<std::int64_t> done = garbage_.advance();
  if (done) done = garbage_.deleteUnusedFiles();
  if (done) done = collector_.collect(kPrefixFoldersPerPass);
  logCount(done, {.failed = "garbage_not_collected", .done = "blobs_removed"});
}

}  // namespace spindle::app
