#include "objects/store/object_repository.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "identity/audit/audit_trail.h"
#include "json/escape.h"
#include "objects/store/query_batch.h"
#include "objects/store/version_lookup.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::objects {
namespace {

using storage::paddedCount, storage::Params, storage::placeholders, storage::Row, storage::Session;

std::string describeClass(const std::optional<std::string>& base) {
  return base ? *base : "untyped object";
}

Error nameTaken(const NewObject& object, const std::optional<std::string>& taken_by) {
  return Error::invalidArgument("Cannot publish '" + object.object_id + "' as a " +
                                describeClass(object.classes.base) + ": the name is in use for a " +
                                describeClass(taken_by) +
                                ", and all versions of an object are of one type. Choose another "
                                "name.");
}

/// The versions that publish() needs.
struct Published {
  std::optional<ObjectVersion> latest;  ///< of this kind
  std::optional<ObjectVersion> same;    ///< with the same content, live or deleted
};

Result<Published> publishedOf(Session& session, const NewObject& object) {
  const std::vector<ObjectVersion> versions = TRY(collectRows(
      session.query(
          selectVersions() +
              "v.project_id = ? AND v.object_id = ? AND v.kind = ? AND (v.is_latest = 1 OR "
              "v.digest = ?)",
          {object.project_id, object.object_id, textOf(object.classes.kind), object.digest}),
      versionAt));
  Published published;
  for (const ObjectVersion& version : versions) {
    if (version.is_latest) published.latest = version;
    if (version.digest == object.digest) published.same = version;
  }
  return published;
}

Result<void> insertVersion(Session& session,
                           const NewObject& object,
                           std::int64_t version_index,
                           std::int64_t published,
                           Timestamp now) {
  const storage::Columns<ObjectContent>& columns = objectContentColumns();
  TRY(session.execute(
      columns.insertInto("object_versions", {"project_id", "kind", "value", "version_index",
                                             "published", "is_latest", "created_at"}),
      columns.valuesOf(object, {object.project_id, textOf(object.classes.kind), object.value,
                                version_index, published, true, now})));
  return {};
}

/// Makes an existing version the latest, and live.
Result<void> republish(Session& session,
                       const ObjectVersion& version,
                       const NewObject& object,
                       std::int64_t published,
                       Timestamp now) {
  // A restored version counts as new: it gets a new time and publisher.
  const bool deleted = version.deleted_at.has_value();
  TRY(
      session.execute("UPDATE object_versions SET is_latest = 1, published = ?, deleted_at = NULL, "
                      "created_at = ?, user_id = ? WHERE id = ?",
                      {published, deleted ? now : version.created_at,
                       deleted ? object.user_id : version.user_id, version.id}));
  return {};
}

/// An SQL condition under construction, with its parameters.
class Conditions {
 public:
  explicit Conditions(std::string_view project_id) : params_({project_id}) {}

  void add(SqlView sql) { sql_.add(" AND ").add(sql); }
  /// Adds `column IN (…)` between `before` and `after`. Adds nothing for an empty list.
  void addList(SqlView before, const std::vector<std::string>& values, SqlView after = {}) {
    if (values.empty()) return;
    const std::size_t count = paddedCount(values.size());
    sql_.add(" AND ").add(before).add(placeholders(count)).add(after);
    for (std::size_t i = 0; i < count; ++i) {
      params_.emplace_back(values[std::min(i, values.size() - 1)]);
    }
  }

  const SqlText& sql() const { return sql_; }
  Params& params() { return params_; }

 private:
  SqlText sql_{"v.project_id = ? AND v.deleted_at IS NULL"};
  Params params_;
};

Conditions conditionsOf(std::string_view project_id, const ObjectFilter& filter) {
  Conditions conditions(project_id);
  conditions.addList("v.base_object_class IN ", filter.base_object_classes);
  conditions.addList("(v.base_object_class IS NULL OR v.base_object_class NOT IN ",
                     filter.exclude_base_object_classes, ")");
  conditions.addList("v.leaf_object_class IN ", filter.leaf_object_classes);
  conditions.addList("v.object_id IN ", filter.object_ids);
  if (filter.is_op) {
    conditions.add(*filter.is_op ? SqlView("v.kind = 'op'") : SqlView("v.kind <> 'op'"));
  }
  if (filter.latest_only) conditions.add("v.is_latest = 1");
  conditions.addList(
      "EXISTS (SELECT 1 FROM object_tags t WHERE t.project_id = v.project_id AND "
      "t.object_id = v.object_id AND t.digest = v.digest AND t.tag IN ",
      filter.tags, ")");
  const bool latest =
      std::find(filter.aliases.begin(), filter.aliases.end(), kLatest) != filter.aliases.end();
  const SqlText or_latest(latest ? SqlView("(v.is_latest = 1 OR ") : SqlView("("));
  conditions.addList(or_latest +
                         "EXISTS (SELECT 1 FROM object_aliases a WHERE "
                         "a.project_id = v.project_id AND a.object_id = v.object_id AND "
                         "a.digest = v.digest AND a.alias IN ",
                     filter.aliases, "))");
  return conditions;
}

/// Adds the condition that versions follow a position in the order of creation.
void addPosition(Conditions& conditions, const VersionPosition& after, bool newest_first) {
  const SqlText position("(v.created_at, v.version_index, v.id)");
  conditions.add(position + (newest_first ? SqlView(" < ") : SqlView(" > ")) + "(?, ?, ?)");
  Params& params = conditions.params();
  params.emplace_back(after.created_at);
  params.emplace_back(after.version_index);
  params.emplace_back(after.id);
}

SqlText orderOf(const ObjectQuery& query) {
  SqlText sql;
  for (const ObjectOrder& by : query.order) {
    const bool by_id = by.field == ObjectOrder::Field::kObjectId;
    sql += by_id ? SqlView("v.object_id") : SqlView("v.created_at");
    sql += by.descending ? SqlView(" DESC, ") : SqlView(", ");
  }
  return sql + (query.newest_first ? SqlView("v.created_at DESC, v.version_index DESC, v.id DESC")
                                   : SqlView("v.created_at, v.version_index, v.id"));
}

/// Returns the reason why a filter cannot be queried, or nothing.
std::optional<Error> refuse(const ObjectFilter& filter) {
  for (const auto* list :
       {&filter.base_object_classes, &filter.exclude_base_object_classes,
        &filter.leaf_object_classes, &filter.object_ids, &filter.tags, &filter.aliases}) {
    if (list->size() > ObjectRepository::kMaxFilterItems) {
      return Error::invalidArgument("A list of the filter has more than " +
                                    std::to_string(ObjectRepository::kMaxFilterItems) + " items");
    }
  }
  return std::nullopt;
}

/// Returns the distinct live versions to delete.
Result<std::vector<ObjectVersion>> versionsToDelete(
    Session& session,
    std::string_view project_id,
    std::string_view object_id,
    const std::optional<std::vector<std::string>>& versions) {
  std::vector<ObjectVersion> found;
  if (!versions) {
    return collectRows(
        session.query(selectVersions() +
                          "v.project_id = ? AND v.object_id = ? AND v.deleted_at IS NULL "
                          "ORDER BY v.version_index",
                      {project_id, object_id}),
        versionAt);
  }
  std::set<std::int64_t> ids;
  for (const std::string& text : *versions) {
    std::optional<ObjectVersion> version = TRY(lookUpVersion(session, project_id, object_id, text));
    if (!version.has_value() || version->deleted_at) return versionNotFound(object_id, text);
    if (ids.insert(version->id).second) found.push_back(*std::move(version));
  }
  return found;
}

Result<void> deleteVersion(Session& session,
                           std::string_view project_id,
                           const ObjectVersion& version,
                           Timestamp now) {
  TRY(session.execute("UPDATE object_versions SET deleted_at = ?, is_latest = 0 WHERE id = ?",
                      {now, version.id}));
  for (const SqlName table : {SqlName("object_tags"), SqlName("object_aliases")}) {
    TRY(session.execute(
        "DELETE FROM " + SqlText(table) + " WHERE project_id = ? AND object_id = ? AND digest = ?",
        {project_id, version.object_id, version.digest}));
  }
  return {};
}

/// Marks the live version that was published last as latest, if no version is.
Result<void> promote(Session& session, std::string_view project_id, std::string_view object_id) {
  for (const ObjectKind kind : {ObjectKind::kObject, ObjectKind::kOp}) {
    TRY(session.execute(
        "UPDATE object_versions SET is_latest = 1 WHERE id = (SELECT v.id FROM object_versions v "
        "WHERE v.project_id = ? AND v.object_id = ? AND v.kind = ? AND v.deleted_at IS NULL "
        "ORDER BY v.published DESC LIMIT 1)",
        {project_id, object_id, textOf(kind)}));
  }
  return {};
}

Error deletedError(const ObjectVersion& version) {
  const std::string when = formatTimestamp(*version.deleted_at);
  return Error::notFound(version.object_id + ":v" + std::to_string(version.version_index) +
                         " was deleted at " + when)
      .with("deleted_at", json::quoted(when));
}

}  // namespace

Result<void> ObjectRepository::publish(const NewObject& object) {
  // Programs publish the same ops and objects at every start, so usually nothing changes.
  const bool known = TRY(database_.read([&](Session& session) -> Result<bool> {
    const Published published = TRY(publishedOf(session, object));
    return published.same && published.same->is_latest;
  }));
  if (known) return {};
  return database_.write([&](Session& session) -> Result<void> {
    const Published published = TRY(publishedOf(session, object));
    const std::optional<ObjectVersion>& latest = published.latest;
    if (latest && latest->classes.base != object.classes.base) {
      return nameTaken(object, latest->classes.base);
    }
    const std::optional<Row> next = TRY(session.queryOne(
        "SELECT coalesce(max(CASE WHEN kind = ? THEN version_index END), -1) + 1 AS version_index, "
        "coalesce(max(published), 0) + 1 AS published FROM object_versions "
        "WHERE project_id = ? AND object_id = ?",
        {textOf(object.classes.kind), object.project_id, object.object_id}));
    if (latest) {
      TRY(session.execute("UPDATE object_versions SET is_latest = 0 WHERE id = ?", {latest->id}));
    }
    const std::int64_t count = next->integer("published");
    const Timestamp now = clock_.now();
    if (published.same) return republish(session, *published.same, object, count, now);
    return insertVersion(session, object, next->integer("version_index"), count, now);
  });
}

Result<ObjectVersion> ObjectRepository::find(std::string_view project_id,
                                             std::string_view object_id,
                                             std::string_view version,
                                             bool with_value) {
  return database_.read([&](Session& session) -> Result<ObjectVersion> {
    std::optional<ObjectVersion> found =
        TRY(lookUpVersion(session, project_id, object_id, version));
    if (!found.has_value()) return versionNotFound(object_id, version);
    ObjectVersion object = *std::move(found);
    if (object.deleted_at) return deletedError(object);
    if (!with_value) return object;
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT value FROM object_versions WHERE id = ?", {object.id}));
    object.value = row->text("value");
    return object;
  });
}

Result<std::vector<ObjectVersion>> ObjectRepository::query(std::string_view project_id,
                                                           const ObjectQuery& query) {
  if (std::optional<Error> refused = refuse(query.filter)) return *std::move(refused);
  return database_.read([&](Session& session) {
    constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
    Conditions conditions = conditionsOf(project_id, query.filter);
    if (query.after) addPosition(conditions, *query.after, query.newest_first);
    Params& params = conditions.params();
    params.emplace_back(query.limit.value_or(kAll));
    params.emplace_back(query.offset);
    return collectRows(session.query(selectVersions() + conditions.sql() + " ORDER BY " +
                                         orderOf(query) + " LIMIT ? OFFSET ?",
                                     params),
                       versionAt);
  });
}

Result<void> ObjectRepository::loadValues(std::vector<ObjectVersion>& versions,
                                          std::size_t first,
                                          std::size_t count) {
  const std::size_t end = std::min(versions.size(), first + count);
  std::unordered_map<std::int64_t, ObjectVersion*> wanted;
  for (std::size_t i = first; i < end; ++i) wanted.emplace(versions[i].id, &versions[i]);
  return database_.read([&](Session& session) {
    return queryBatches(
        session, "SELECT id, value FROM object_versions WHERE id", {}, first, end,
        [&versions](std::size_t i) { return versions[i].id; },
        [&wanted](const Row& row) { wanted.at(row.integer("id"))->value = row.text("value"); });
  });
}

Result<std::vector<StoredValue>> ObjectRepository::values(std::string_view project_id,
                                                          const std::vector<ObjectKey>& keys,
                                                          bool with_text) {
  // Keys often share a digest: refs to the rows of a dataset all name the same object.
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_digest;
  std::vector<std::string_view> digests;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::vector<std::size_t>& same = by_digest[keys[i].digest];
    if (same.empty()) digests.push_back(keys[i].digest);
    same.push_back(i);
  }
  return database_.read([&](Session& session) -> Result<std::vector<StoredValue>> {
    std::vector<StoredValue> values(keys.size());
    TRY(queryBatches(
        session,
        "SELECT kind, object_id, digest, deleted_at" +
            SqlText(with_text ? SqlView(", value") : SqlView()) +
            " FROM object_versions WHERE project_id = ? AND digest",
        {project_id}, 0, digests.size(),
        [&digests](std::size_t i) {
          const std::string_view digest = digests[i];
          return std::string(storage::unstorableReason(digest).empty() ? digest : "");
        },
        [&](const Row& row) {
          for (const std::size_t at : by_digest.at(row.text("digest"))) {
            const ObjectKey& key = keys[at];
            if (key.object_id != row.text("object_id") || textOf(key.kind) != row.text("kind")) {
              continue;
            }
            StoredValue& value = values[at];
            const bool deleted = !row.isNull("deleted_at");
            value.state = deleted ? StoredValue::State::kDeleted : StoredValue::State::kFound;
            if (!deleted && with_text) value.value = row.text("value");
          }
        }));
    return values;
  });
}

Result<std::vector<ObjectVersion>> ObjectRepository::remove(
    std::string_view project_id,
    std::string_view object_id,
    const std::optional<std::vector<std::string>>& versions) {
  return database_.write([&](Session& session) -> Result<std::vector<ObjectVersion>> {
    std::vector<ObjectVersion> found =
        TRY(versionsToDelete(session, project_id, object_id, versions));
    if (found.empty()) {
      return Error::notFound("Object " + std::string(object_id) + " not found");
    }
    const Timestamp now = clock_.now();
    for (const ObjectVersion& version : found) {
      TRY(deleteVersion(session, project_id, version, now));
    }
    TRY(promote(session, project_id, object_id));
    TRY(identity::recordChange(session,
                               {.action = "object.delete",
                                .target_id = object_id,
                                .target_name = object_id,
                                .project_id = project_id,
                                .details = {{"versions", std::to_string(found.size())}}},
                               now));
    return found;
  });
}

Result<std::int64_t> ObjectRepository::storageSize(std::string_view project_id) {
  return sumInProject(database_, "size_bytes", "object_versions", project_id,
                      " AND deleted_at IS NULL");
}

}  // namespace spindle::objects
