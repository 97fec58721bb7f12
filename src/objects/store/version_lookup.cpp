#include "objects/store/version_lookup.h"

#include "storage/database/columns.h"

namespace spindle::objects {
namespace {

using storage::Params, storage::Row, storage::Rows, storage::Session;

const storage::Columns<ObjectVersion>& objectVersionColumns() {
  static const storage::Columns<ObjectVersion> columns{
      {"id", &ObjectVersion::id},
      {"object_id", &ObjectVersion::object_id},
      {"digest", &ObjectVersion::digest},
      {"version_index", &ObjectVersion::version_index},
      {"is_latest", &ObjectVersion::is_latest},
      {"base_object_class", &ObjectVersion::classes, &ObjectClasses::base},
      {"leaf_object_class", &ObjectVersion::classes, &ObjectClasses::leaf},
      {"size_bytes", &ObjectVersion::size_bytes},
      {"user_id", &ObjectVersion::user_id},
      {"created_at", &ObjectVersion::created_at},
      {"deleted_at", &ObjectVersion::deleted_at}};
  return columns;
}

Result<std::optional<ObjectVersion>> first(Session& session,
                                           SqlView condition,
                                           const Params& params) {
  // If two kinds share the name, the live version counts, then the one published last.
  const std::optional<Row> row = TRY(session.queryOne(
      selectVersions() + "v.project_id = ? AND v.object_id = ? AND " + condition +
          " ORDER BY CASE WHEN v.deleted_at IS NULL THEN 0 ELSE 1 END, v.published DESC LIMIT 1",
      params));
  if (!row.has_value()) return std::optional<ObjectVersion>();
  return std::optional(versionAt(*row));
}

}  // namespace

SqlText selectVersions() {
  return "SELECT " + objectVersionColumns().list("v") + ", v.kind FROM object_versions v WHERE ";
}

ObjectVersion versionAt(const Row& row) {
  ObjectVersion version = objectVersionColumns().read(row);
  version.classes.kind =
      row.text("kind") == textOf(ObjectKind::kOp) ? ObjectKind::kOp : ObjectKind::kObject;
  return version;
}

std::vector<ObjectVersion> versionsAt(const Rows& rows) {
  std::vector<ObjectVersion> versions;
  versions.reserve(rows.size());
  for (const Row& row : rows) versions.push_back(versionAt(row));
  return versions;
}

Result<std::optional<ObjectVersion>> lookUpVersion(Session& session,
                                                   std::string_view project_id,
                                                   std::string_view object_id,
                                                   std::string_view version) {
  // A text that cannot be stored matches nothing; the database would refuse the query.
  for (const std::string_view text : {object_id, version}) {
    if (!storage::unstorableReason(text).empty()) return std::optional<ObjectVersion>();
  }
  if (version == kLatest) {
    return first(session, "v.is_latest = 1 AND v.deleted_at IS NULL", {project_id, object_id});
  }
  if (const std::optional<std::int64_t> number = versionNumber(version)) {
    return first(session, "v.version_index = ?", {project_id, object_id, *number});
  }
  Result<std::optional<ObjectVersion>> exact =
      first(session, "v.digest = ?", {project_id, object_id, version});
  if (!exact || exact->has_value()) return exact;
  return first(session,
               "v.deleted_at IS NULL AND v.digest = (SELECT a.digest FROM object_aliases a WHERE "
               "a.project_id = ? AND a.object_id = ? AND a.alias = ?)",
               {project_id, object_id, project_id, object_id, version});
}

Error versionNotFound(std::string_view object_id, std::string_view version) {
  return Error::notFound("Obj " + std::string(object_id) + ":" + std::string(version) +
                         " not found");
}

}  // namespace spindle::objects
