#include "objects/store/version_lookup.h"

namespace spindle::objects {
namespace {

using storage::Params, storage::Row, storage::Session;

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

const storage::Columns<ObjectContent>& objectContentColumns() {
  using C = ObjectContent;
  static const storage::Columns<C> columns{{"object_id", &C::object_id},
                                           {"digest", &C::digest},
                                           {"base_object_class", &C::classes, &ObjectClasses::base},
                                           {"leaf_object_class", &C::classes, &ObjectClasses::leaf},
                                           {"size_bytes", &C::size_bytes},
                                           {"user_id", &C::user_id}};
  return columns;
}

SqlText selectVersions() {
  return "SELECT " + objectContentColumns().list("v") +
         ", v.kind, v.id, v.version_index, v.is_latest, v.created_at, v.deleted_at "
         "FROM object_versions v WHERE ";
}

ObjectVersion versionAt(const Row& row) {
  ObjectVersion version;
  static_cast<ObjectContent&>(version) = objectContentColumns().read(row);
  version.classes.kind =
      row.text("kind") == textOf(ObjectKind::kOp) ? ObjectKind::kOp : ObjectKind::kObject;
  version.id = row.integer("id");
  version.version_index = row.integer("version_index");
  version.is_latest = row.boolean("is_latest");
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
