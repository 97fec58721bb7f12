#include "registry/repositories/version_garbage_collector.h"

#include <optional>
#include <vector>

#include "registry/artifacts/artifact.h"
#include "storage/database/database.h"

namespace spindle::registry {
namespace {

using storage::Row, storage::Rows, storage::Session;

constexpr int kMaxVersionsPerPass = 200;
constexpr int kMaxFilesPerPass = 1000;
/// Must be longer than a version can be pending.
constexpr std::chrono::hours kFileGrace{48};

/// Returns true if a pending or committed version of the team uses this file.
Result<bool> isUsed(Session& session,
                    std::string_view team_id,
                    std::string_view digest,
                    std::int64_t size) {
  const std::optional<Row> user = TRY(session.queryOne(
      "SELECT e.version_id FROM artifact_entries e JOIN artifact_versions v ON v.id = e.version_id "
      "JOIN collections c ON c.id = v.collection_id "
      "JOIN published_projects p ON p.id = c.project_id WHERE e.digest = ? AND e.size_bytes = ? "
      "AND e.ref IS NULL AND p.team_id = ? AND v.state IN ('PENDING', 'COMMITTED') LIMIT 1",
      {digest, size, team_id}));
  return user.has_value();
}

Result<bool> deleteFileIfUnused(Session& session,
                                std::string_view team_id,
                                std::string_view digest,
                                std::int64_t size) {
  if (TRY(isUsed(session, team_id, digest, size))) return false;
  const std::int64_t forgotten = TRY(session.execute(
      "DELETE FROM artifact_blobs WHERE team_id = ? AND digest = ? AND size_bytes = ?",
      {team_id, digest, size}));
  return forgotten > 0;
}

/// Deletes everything of a version except its row.
Result<void> deleteVersionContent(Session& session, std::int64_t id, Timestamp now) {
  const Rows files =
      TRY(session.query("SELECT DISTINCT p.team_id, e.digest, e.size_bytes FROM artifact_entries e "
                        "JOIN artifact_versions v ON v.id = e.version_id "
                        "JOIN collections c ON c.id = v.collection_id "
                        "JOIN published_projects p ON p.id = c.project_id WHERE e.version_id = ? "
                        "AND e.ref IS NULL",
                        {id}));
  for (const Row& file : files) {
    TRY(deleteFileIfUnused(session, file.text("team_id"), file.text("digest"),
                           file.integer("size_bytes")));
  }
  for (const SqlName table :
       {SqlName("artifact_entries"), SqlName("artifact_tags"), SqlName("artifact_requests")}) {
    TRY(session.execute("DELETE FROM " + SqlText(table) + " WHERE version_id = ?", {id}));
  }
  TRY(session.execute("UPDATE artifact_versions SET state = ?, updated_at = ? WHERE id = ?",
                      {textOf(VersionState::kGarbageCollected), now, id}));
  return {};
}

}  // namespace

Result<std::int64_t> VersionGarbageCollector::advance() {
  const Rows deleted = TRY(database_.read([&](Session& session) {
    return session.query(
        "SELECT id FROM artifact_versions WHERE state = 'DELETED' ORDER BY id LIMIT ?",
        {kMaxVersionsPerPass});
  }));
  for (const Row& version : deleted) {
    TRY(database_.write([&](Session& session) {
      return deleteVersionContent(session, version.integer("id"), clock_.now());
    }));
  }
  const std::int64_t ended = TRY(database_.write([&](Session& session) -> Result<std::int64_t> {
    return session.execute(
        "UPDATE artifact_versions SET state = 'DELETED', updated_at = ? WHERE id IN "
        "(SELECT id FROM artifact_versions WHERE state = 'PENDING_DELETION' ORDER BY id "
        "LIMIT ?)",
        {clock_.now(), kMaxVersionsPerPass});
  }));
  return ended + static_cast<std::int64_t>(deleted.size());
}

Result<std::int64_t> VersionGarbageCollector::deleteUnusedFiles() {
  const Timestamp before = clock_.now() - kFileGrace;
  const Rows files = TRY(database_.read([&](Session& session) {
    return session.query(
        "SELECT team_id, digest, size_bytes, created_at FROM artifact_blobs "
        "WHERE team_id > ? OR (team_id = ? AND digest > ?) ORDER BY team_id, digest LIMIT ?",
        {team_id_, team_id_, digest_, kMaxFilesPerPass});
  }));
  std::int64_t count = 0;
  for (const Row& file : files) {
    if (file.time("created_at") >= before) continue;
    if (TRY(database_.write([&](Session& session) {
          return deleteFileIfUnused(session, file.text("team_id"), file.text("digest"),
                                    file.integer("size_bytes"));
        })))
      ++count;
  }
  const bool at_end = files.size() < static_cast<std::size_t>(kMaxFilesPerPass);
  team_id_ = at_end ? std::string() : files.back().text("team_id");
  digest_ = at_end ? std::string() : files.back().text("digest");
  return count;
}

}  // namespace spindle::registry
