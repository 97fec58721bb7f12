#include "objects/store/label_repository.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "objects/store/query_batch.h"
#include "objects/store/version_lookup.h"
#include "storage/database/database.h"

namespace spindle::objects {
namespace {

using storage::Params, storage::Row, storage::Session;

/// Runs the statement once for each text, which follows the leading parameters.
Result<void> executeEach(Session& session,
                         SqlView sql,
                         const Params& leading,
                         const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    Params params = leading;
    params.emplace_back(text);
    TRY(session.execute(sql, params));
  }
  return {};
}

using VersionKey = std::pair<std::string, std::string>;  // object id and digest
using LabelsByVersion = std::map<VersionKey, std::vector<std::string>>;

/// Returns the tags or the aliases of all versions of these objects. `sql` ends before `IN`.
Result<LabelsByVersion> labels(Session& session,
                               SqlView sql,
                               std::string_view project_id,
                               const std::vector<std::string>& object_ids) {
  LabelsByVersion found;
  TRY(queryBatches(
      session, sql, {project_id}, 0, object_ids.size(),
      [&object_ids](std::size_t i) { return object_ids[i]; },
      [&found](const Row& row) {
        found[{row.text("object_id"), row.text("digest")}].push_back(row.text("label"));
      }));
  return found;
}

std::vector<std::string> takeLabels(LabelsByVersion& found, const ObjectVersion& version) {
  std::vector<std::string> texts = std::move(found[{version.object_id, version.digest}]);
  std::sort(texts.begin(), texts.end());
  return texts;
}

Result<std::vector<std::string>> distinctTexts(Session& session,
                                               SqlView sql,
                                               std::string_view project_id) {
  return collectRows(session.query(sql, {project_id}), [](const Row& row) { return row.text(0); });
}

}  // namespace

Result<void> LabelRepository::addTags(const VersionName& version,
                                      const std::vector<std::string>& tags) {
  return changeVersion(version, tags,
                       "INSERT INTO object_tags (project_id, object_id, digest, tag) "
                       "VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
}

Result<void> LabelRepository::removeTags(const VersionName& version,
                                         const std::vector<std::string>& tags) {
  return changeVersion(version, tags,
                       "DELETE FROM object_tags WHERE project_id = ? AND object_id = ? AND "
                       "digest = ? AND tag = ?");
}

Result<void> LabelRepository::setAliases(const VersionName& version,
                                         const std::vector<std::string>& aliases) {
  return changeVersion(version, aliases,
                       "INSERT INTO object_aliases (project_id, object_id, digest, alias) "
                       "VALUES (?, ?, ?, ?) ON CONFLICT (project_id, object_id, alias) "
                       "DO UPDATE SET digest = excluded.digest");
}

Result<void> LabelRepository::changeVersion(const VersionName& version,
                                            const std::vector<std::string>& labels,
                                            SqlView sql) {
  return database_.write([&](Session& session) -> Result<void> {
    const std::optional<ObjectVersion> found =
        TRY(lookUpVersion(session, version.project_id, version.object_id, version.version));
    if (!found.has_value() || found->deleted_at) {
      return versionNotFound(version.object_id, version.version);
    }
    return executeEach(session, sql, {version.project_id, version.object_id, found->digest},
                       labels);
  });
}

Result<void> LabelRepository::removeAliases(std::string_view project_id,
                                            std::string_view object_id,
                                            const std::vector<std::string>& aliases) {
  if (!storage::unstorableReason(object_id).empty()) return {};
  return database_.write([&](Session& session) -> Result<void> {
    return executeEach(session,
                       "DELETE FROM object_aliases WHERE project_id = ? AND object_id = ? AND "
                       "alias = ?",
                       {project_id, object_id}, aliases);
  });
}

Result<std::vector<Labels>> LabelRepository::labelsOf(std::string_view project_id,
                                                      const std::vector<ObjectVersion>& versions) {
  std::set<std::string> distinct;
  for (const ObjectVersion& version : versions) distinct.insert(version.object_id);
  const std::vector<std::string> object_ids(distinct.begin(), distinct.end());
  return database_.read([&](Session& session) -> Result<std::vector<Labels>> {
    LabelsByVersion tags = TRY(
        labels(session,
               "SELECT object_id, digest, tag AS label FROM object_tags WHERE project_id = ? AND "
               "object_id",
               project_id, object_ids));
    LabelsByVersion aliases = TRY(labels(
        session,
        "SELECT object_id, digest, alias AS label FROM object_aliases WHERE project_id = ? AND "
        "object_id",
        project_id, object_ids));
    std::vector<Labels> all;
    for (const ObjectVersion& version : versions) {
      if (version.is_latest) (aliases)[{version.object_id, version.digest}].emplace_back(kLatest);
      Labels& mine = all.emplace_back();
      mine.tags = takeLabels(tags, version);
      mine.aliases = takeLabels(aliases, version);
    }
    return all;
  });
}

Result<std::vector<std::string>> LabelRepository::tags(std::string_view project_id) {
  return database_.read([&](Session& session) {
    return distinctTexts(session,
                         "SELECT DISTINCT tag FROM object_tags WHERE project_id = ? ORDER BY tag",
                         project_id);
  });
}

Result<std::vector<std::string>> LabelRepository::aliases(std::string_view project_id) {
  return database_.read([&](Session& session) -> Result<std::vector<std::string>> {
    std::vector<std::string> found = TRY(distinctTexts(
        session, "SELECT DISTINCT alias FROM object_aliases WHERE project_id = ?", project_id));
    const std::optional<Row> any = TRY(session.queryOne(
        "SELECT id FROM object_versions WHERE project_id = ? AND deleted_at IS NULL LIMIT 1",
        {project_id}));
    if (any.has_value()) found.emplace_back(kLatest);
    std::sort(found.begin(), found.end());
    return found;
  });
}

}  // namespace spindle::objects
