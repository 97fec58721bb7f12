#include "tracing/metadata/annotation_queue_repository.h"

#include <array>
#include <unordered_map>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/types/names.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"
#include "tracing/metadata/annotation_order.h"
#include "tracing/metadata/text_list_json.h"

namespace spindle::tracing {
namespace {

using storage::Row, storage::Rows, storage::Session;

constexpr std::array<SortField, 6> kSortableQueueFields = {
    {{"id"}, {"name"}, {"description"}, {"created_at"}, {"created_by"}, {"updated_at"}}};

const storage::Columns<AnnotationQueue>& annotationQueueColumns() {
  static const storage::Columns<AnnotationQueue> columns{
      {"id", &AnnotationQueue::id},
      {"name", &AnnotationQueue::name},
      {"description", &AnnotationQueue::description},
      {"created_at", &AnnotationQueue::created_at},
      {"created_by", &AnnotationQueue::created_by},
      {"updated_at", &AnnotationQueue::updated_at},
      {"deleted_at", &AnnotationQueue::deleted_at}};
  return columns;
}

SqlText selectQueues(SqlView tail) {
  return "SELECT scorer_refs, " + annotationQueueColumns().list() +
         " FROM annotation_queues WHERE project_id = ? AND deleted_at IS NULL " + tail;
}

AnnotationQueue queueAt(const Row& row) {
  AnnotationQueue queue = annotationQueueColumns().read(row);
  queue.scorer_refs = parseTextList(row.text("scorer_refs"));
  return queue;
}

Result<AnnotationQueue> findQueue(Session& session,
                                  std::string_view project_id,
                                  std::string_view queue_id) {
  const std::optional<Row> row =
      TRY(session.queryOne(selectQueues("AND id = ?"), {project_id, queue_id}));
  if (!row.has_value())
    return Error::notFound("Annotation queue " + std::string(queue_id) + " not found");
  return queueAt(*row);
}

Result<SqlText> orderOf(const AnnotationPage& page) {
  SqlText order = TRY(annotationOrder(page, kSortableQueueFields));
  if (order.empty()) order += "created_at DESC, ";
  return order + "number DESC";
}

}  // namespace

Result<AnnotationQueue> AnnotationQueueRepository::insert(std::string_view project_id,
                                                          const NewAnnotationQueue& queue) {
  return database_.write([&](Session& session) -> Result<AnnotationQueue> {
    const Timestamp now = clock_.now();
    const std::string id = newUuid(now);
    TRY(session.execute(
        "INSERT INTO annotation_queues (id, project_id, name, description, scorer_refs, "
        "created_at, created_by, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        {id, project_id, queue.name, queue.description, textListJson(queue.scorer_refs), now,
         queue.created_by, now}));
    return findQueue(session, project_id, id);
  });
}

Result<AnnotationQueue> AnnotationQueueRepository::find(std::string_view project_id,
                                                        std::string_view queue_id) {
  return database_.read([&](Session& session) { return findQueue(session, project_id, queue_id); });
}

Result<bool> AnnotationQueueRepository::exists(std::string_view project_id,
                                               std::string_view queue_id) {
  const Result<AnnotationQueue> queue = find(project_id, queue_id);
  if (queue) return true;
  if (queue.error().code() == ErrorCode::kNotFound) return false;
  return queue.error();
}

Result<std::vector<AnnotationQueue>> AnnotationQueueRepository::list(std::string_view project_id,
                                                                     std::string_view name,
                                                                     const AnnotationPage& page) {
  const SqlText order = TRY(orderOf(page));
  const std::string wanted = identity::foldCase(name);
  return database_.read([&](Session& session) -> Result<std::vector<AnnotationQueue>> {
    const Rows rows = TRY(session.query(selectQueues("ORDER BY " + order), {project_id}));
    std::vector<AnnotationQueue> queues;
    std::int64_t skipped = 0;
    for (const Row& row : rows) {
      if (page.limit && static_cast<std::int64_t>(queues.size()) >= *page.limit) break;
      if (identity::foldCase(row.text("name")).find(wanted) == std::string::npos) continue;
      if (skipped++ < page.offset) continue;
      queues.push_back(queueAt(row));
    }
    return queues;
  });
}

Result<AnnotationQueue> AnnotationQueueRepository::update(std::string_view project_id,
                                                          std::string_view queue_id,
                                                          const AnnotationQueueChange& change) {
  return database_.write([&](Session& session) -> Result<AnnotationQueue> {
    Result<AnnotationQueue> queue = findQueue(session, project_id, queue_id);
    if (!queue || (!change.name && !change.description && !change.scorer_refs)) return queue;
    TRY(session.execute(
        "UPDATE annotation_queues SET name = ?, description = ?, scorer_refs = ?, updated_at = ? "
        "WHERE project_id = ? AND id = ?",
        {change.name.value_or(queue->name), change.description.value_or(queue->description),
         textListJson(change.scorer_refs.value_or(queue->scorer_refs)), clock_.now(), project_id,
         queue_id}));
    return findQueue(session, project_id, queue_id);
  });
}

Result<AnnotationQueue> AnnotationQueueRepository::remove(std::string_view project_id,
                                                          std::string_view queue_id) {
  return database_.write([&](Session& session) -> Result<AnnotationQueue> {
    AnnotationQueue queue = TRY(findQueue(session, project_id, queue_id));
    const Timestamp now = clock_.now();
    TRY(session.execute(
        "UPDATE annotation_queues SET deleted_at = ?, updated_at = ? WHERE project_id = ? AND "
        "id = ?",
        {now, now, project_id, queue_id}));
    TRY(identity::recordChange(session,
                               {.action = "annotation_queue.delete",
                                .target_id = queue_id,
                                .target_name = queue.name,
                                .project_id = project_id},
                               now));
    queue.updated_at = now;
    queue.deleted_at = now;
    return queue;
  });
}

Result<std::vector<AnnotationQueueStats>> AnnotationQueueRepository::stats(
    std::string_view project_id, const std::vector<std::string>& queue_ids) {
  return database_.read([&](Session& session) -> Result<std::vector<AnnotationQueueStats>> {
    const Rows rows = TRY(session.query(
        "SELECT i.queue_id, COUNT(*) AS total, SUM(CASE WHEN EXISTS (SELECT 1 FROM "
        "annotation_progress p WHERE p.item_id = i.id AND p.state IN ('completed', 'skipped')) "
        "THEN 1 ELSE 0 END) AS completed FROM annotation_items i WHERE i.project_id = ? "
        "GROUP BY i.queue_id",
        {project_id}));
    std::unordered_map<std::string, AnnotationQueueStats> known;
    for (const Row& row : rows) {
      const std::string& id = row.text("queue_id");
      known.emplace(id, AnnotationQueueStats{id, row.integer("total"), row.integer("completed")});
    }
    std::vector<AnnotationQueueStats> stats;
    for (const std::string& id : queue_ids) {
      const auto found = known.find(id);
      stats.push_back(found == known.end() ? AnnotationQueueStats{id, 0, 0} : found->second);
    }
    return stats;
  });
}

}  // namespace spindle::tracing
