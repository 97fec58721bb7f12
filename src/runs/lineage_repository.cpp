#include "runs/lineage_repository.h"

#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "runs/run_rows.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"

namespace spindle::runs {
namespace {

using identity::Page, identity::PageRequest;
using storage::Params, storage::Row, storage::Rows, storage::Session;

constexpr SqlView kColumns =
    "SELECT v.id, t.name AS entity, p.name AS project, c.name AS collection, c.type, "
    "v.version_index, v.digest, v.size_bytes, ";
constexpr SqlView kPlaces =
    "JOIN published_collections c ON c.id = v.collection_id "
    "JOIN published_projects p ON p.id = c.project_id JOIN published_teams t ON t.id = p.team_id ";

const storage::Columns<RunArtifact>& runArtifactColumns() {
  static const storage::Columns<RunArtifact> columns{
      {"id", &RunArtifact::id},           {"entity", &RunArtifact::entity},
      {"project", &RunArtifact::project}, {"collection", &RunArtifact::collection},
      {"type", &RunArtifact::type},       {"version_index", &RunArtifact::index},
      {"digest", &RunArtifact::digest},   {"size_bytes", &RunArtifact::size_bytes},
      {"time", &RunArtifact::time}};
  return columns;
}

/// Returns the last id of the previous page, or the greatest integer for the first page.
std::int64_t edgeOf(const PageRequest& page) {
  std::int64_t edge = std::numeric_limits<std::int64_t>::max();
  std::from_chars(page.after.data(), page.after.data() + page.after.size(), edge);
  return edge;
}

Result<Page<RunArtifact>> pageOf(Session& session,
                                 SqlView sql,
                                 Params params,
                                 const PageRequest& page) {
  params.emplace_back(edgeOf(page));
  params.emplace_back(page.limit + 1);
  const Rows rows = TRY(session.query(sql + " AND v.id < ? ORDER BY v.id DESC LIMIT ?", params));
  std::vector<RunArtifact> artifacts = runArtifactColumns().readAll(rows);
  return identity::pageOf(std::move(artifacts), page.limit,
                          [](const RunArtifact& one) { return std::to_string(one.id); });
}

}  // namespace

Result<void> LineageRepository::addInput(const RunKey& key,
                                         std::int64_t version_id,
                                         const registry::Actor& actor) {
  return database_.write([&](Session& session) -> Result<void> {
    const RunHeader run = TRY(requireRunHeader(session, key));
    const std::optional<Row> version = TRY(
        session.queryOne("SELECT id FROM published_artifact_versions WHERE id = ?", {version_id}));
    if (!version.has_value()) return Error::notFound("Artifact not found");
    TRY(session.execute(
        "INSERT INTO run_inputs (run_number, version_id, used_by, used_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        {run.number, version_id, actor.username, clock_.now()}));
    return {};
  });
}

Result<Page<RunArtifact>> LineageRepository::inputs(const RunKey& key, const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<RunArtifact>> {
    const RunHeader run = TRY(requireRunHeader(session, key));
    return pageOf(session,
                  SqlText(kColumns) +
                      "i.used_at AS time FROM run_inputs i "
                      "JOIN published_artifact_versions v ON v.id = i.version_id " +
                      SqlText(kPlaces) + "WHERE i.run_number = ?",
                  {run.number}, page);
  });
}

Result<Page<RunArtifact>> LineageRepository::outputs(const RunKey& key, const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<RunArtifact>> {
    TRY(requireRunHeader(session, key));
    return pageOf(session,
                  SqlText(kColumns) + "v.committed_at AS time FROM published_artifact_versions v " +
                      SqlText(kPlaces) + "WHERE v.run_id = ? AND c.project_id = ?",
                  {key.run_id, key.project_id}, page);
  });
}

Result<std::vector<RunUse>> LineageRepository::usersOf(std::int64_t version_id, int limit) {
  return database_.read([&](Session& session) {
    return collectRows(
        session.query("SELECT t.name AS entity, p.name AS project, r.run_id, r.name, r.state, "
                      "i.used_at FROM run_inputs i JOIN runs r ON r.number = i.run_number "
                      "JOIN published_projects p ON p.id = r.project_id "
                      "JOIN published_teams t ON t.id = p.team_id WHERE i.version_id = ? "
                      "ORDER BY i.used_at DESC, r.number DESC LIMIT ?",
                      {version_id, limit}),
        [](const Row& row) {
          return RunUse{row.text("entity"), row.text("project"),           row.text("run_id"),
                        row.text("name"),   runStateOf(row.text("state")), row.time("used_at")};
        });
  });
}

}  // namespace spindle::runs
