#include "objects/store/version_lookup.h"

namespace spindle::objects {
namespace {

using storage::Params;
using storage::Row;
using storage::Session;

Result<std::optional<ObjectVersion>> first(Session& session,
                                           SqlView condition,
                                           const Params& params) {
  // If two kinds share the name, the live version counts, then the one published last.
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT " + SqlText(kVersionColumns) +
          " FROM object_versions v WHERE v.project_id = ? AND v.object_id = ? AND " + condition +
          " ORDER BY CASE WHEN v.deleted_at IS NULL THEN 0 ELSE 1 END, v.published DESC LIMIT 1",
      params));
  if (!row.has_value()) return std::optional<ObjectVersion>();
  return std::optional(versionAt(*row));
}

}  // namespace

ObjectVersion versionAt(const Row& row) {
  ObjectVersion version;
  version.id = row.integer("id");
  version.object_id = row.text("object_id");
  version.digest = row.text("digest");
  version.version_index = row.integer("version_index");
  version.is_latest = row.boolean("is_latest");
  version.classes.kind =
      row.text("kind") == textOf(ObjectKind::kOp) ? ObjectKind::kOp : ObjectKind::kObject;
  version.classes.base = row.optionalText("base_object_class");
  version.classes.leaf = row.optionalText("leaf_object_class");
  version.size_bytes = row.integer("size_bytes");
  version.user_id = row.text("user_id");
  version.created_at = row.time("created_at");
  version.deleted_at = row.optionalTime("deleted_at");
  return version;
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
