#include "tracing/metadata/annotation_item_repository.h"

#include <array>
#include <utility>

#include "base/crypto/id.h"
#include "storage/database/database.h"
#include "tracing/metadata/annotation_order.h"
#include "tracing/metadata/text_list_json.h"

namespace spindle::tracing {
namespace {

using storage::Params, storage::Row, storage::Session;

/// Selects items with their position in the queue and the newest state of any annotator.
constexpr SqlView kSelectItems =
    "SELECT i.id, i.queue_id, i.call_id, i.call_started_at, i.call_ended_at, i.call_op_name, "
    "i.call_trace_id, i.display_fields, i.added_by, i.created_at, i.created_by, i.updated_at, "
    "i.position, COALESCE(p.state, 'unstarted') AS annotation_state, "
    "p.annotator_id AS annotator_user_id "
    "FROM (SELECT a.*, ROW_NUMBER() OVER (ORDER BY a.number) AS position FROM annotation_items a "
    "WHERE a.project_id = ? AND a.queue_id = ?) i "
    "LEFT JOIN annotation_progress p ON p.item_id = i.id AND NOT EXISTS (SELECT 1 FROM "
    "annotation_progress newer WHERE newer.item_id = p.item_id AND newer.number > p.number) ";

constexpr std::array<SortField, 12> kSortableItemFields = {{
    {"id", "i.id"},
    {"call_id", "i.call_id"},
    {"call_started_at", "i.call_started_at"},
    {"call_ended_at", "i.call_ended_at"},
    {"call_op_name", "i.call_op_name"},
    {"call_trace_id", "i.call_trace_id"},
    {"added_by", "i.added_by"},
    {"annotation_state", "COALESCE(p.state, 'unstarted')"},
    {"annotator_user_id", "p.annotator_id"},
    {"created_at", "i.created_at"},
    {"created_by", "i.created_by"},
    {"updated_at", "i.updated_at"},
}};

AnnotationItem itemAt(const Row& row, bool with_position) {
  AnnotationItem item;
  item.id = row.text("id");
  item.queue_id = row.text("queue_id");
  item.call_id = row.text("call_id");
  item.call_started_at = row.time("call_started_at");
  item.call_ended_at = row.optionalTime("call_ended_at");
  item.call_op_name = row.text("call_op_name");
  item.call_trace_id = row.text("call_trace_id");
  item.display_fields = parseTextList(row.text("display_fields"));
  item.added_by = row.optionalText("added_by");
  item.state =
      annotationStateOf(row.text("annotation_state")).value_or(AnnotationState::kUnstarted);
  item.annotator_id = row.optionalText("annotator_user_id");
  item.created_at = row.time("created_at");
  item.created_by = row.text("created_by");
  item.updated_at = row.time("updated_at");
  if (with_position) item.position = row.integer("position");
  return item;
}

/// `live` rejects deleted queues.
Result<void> requireQueue(Session& session,
                          std::string_view project_id,
                          std::string_view queue_id,
                          bool live) {
  const std::optional<Row> row = TRY(
      session.queryOne("SELECT deleted_at FROM annotation_queues WHERE project_id = ? AND id = ?",
                       {project_id, queue_id}));
  if (!row.has_value() || (live && !row->isNull("deleted_at")))
    return Error::notFound("Annotation queue " + std::string(queue_id) + " not found");
  return {};
}

void addConditions(const AnnotationItemFilter& filter, SqlText& sql, Params& params) {
  const auto equal = [&](SqlView column, const std::optional<std::string>& value) {
    if (!value) return;
    sql += "AND " + SqlText(column) + " = ? ";
    params.emplace_back(*value);
  };
  equal("i.id", filter.id);
  equal("i.call_id", filter.call_id);
  equal("i.call_op_name", filter.call_op_name);
  equal("i.call_trace_id", filter.call_trace_id);
  equal("i.added_by", filter.added_by);
  if (!filter.states || filter.states->empty()) return;
  sql += "AND COALESCE(p.state, 'unstarted') IN (";
  for (std::size_t i = 0; i < filter.states->size(); ++i) {
    sql += i == 0 ? SqlView("?") : SqlView(", ?");
    params.emplace_back(textOf((*filter.states)[i]));
  }
  sql += ") ";
}

Result<AnnotationItem> findItem(Session& session,
                                std::string_view project_id,
                                std::string_view queue_id,
                                std::string_view item_id) {
  const std::optional<Row> row = TRY(
      session.queryOne(SqlText(kSelectItems) + "WHERE i.id = ?", {project_id, queue_id, item_id}));
  if (!row.has_value())
    return Error::invalidArgument("Queue item " + std::string(item_id) + " not found");
  return itemAt(*row, false);
}

}  // namespace

Result<AddedItems> AnnotationItemRepository::add(std::string_view project_id,
                                                 std::string_view queue_id,
                                                 const std::vector<QueuedCall>& calls,
                                                 const std::vector<std::string>& display_fields,
                                                 std::string_view user_id) {
  const std::string fields = textListJson(display_fields);
  return database_.write([&](Session& session) -> Result<AddedItems> {
    TRY(requireQueue(session, project_id, queue_id, true));
    AddedItems counts;
    for (const QueuedCall& call : calls) {
      const Timestamp now = clock_.now();
      const std::int64_t inserted = TRY(session.execute(
          "INSERT INTO annotation_items (id, project_id, queue_id, call_id, call_started_at, "
          "call_ended_at, call_op_name, call_trace_id, display_fields, added_by, created_at, "
          "created_by, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (queue_id, call_id) DO NOTHING",
          {newUuid(now), project_id, queue_id, call.call_id, call.call_started_at,
           call.call_ended_at, call.call_op_name, call.call_trace_id, fields, user_id, now, user_id,
           now}));
      counts.added += inserted;
      counts.duplicates += 1 - inserted;
    }
    return counts;
  });
}

Result<std::vector<AnnotationItem>> AnnotationItemRepository::list(
    std::string_view project_id,
    std::string_view queue_id,
    const AnnotationItemFilter& filter,
    const AnnotationPage& page,
    bool with_position) {
  SqlText sql = kSelectItems + "WHERE 1 = 1 ";
  Params params = {project_id, queue_id};
  addConditions(filter, sql, params);
  const SqlText order = TRY(annotationOrder(page, kSortableItemFields, " NULLS LAST"));
  sql += "ORDER BY " + order + "i.number ASC ";
  constexpr std::int64_t kNoLimit = 1LL << 60;
  sql += "LIMIT ? OFFSET ?";
  params.emplace_back(page.limit.value_or(kNoLimit));
  params.emplace_back(page.offset);
  return database_.read([&](Session& session) -> Result<std::vector<AnnotationItem>> {
    TRY(requireQueue(session, project_id, queue_id, false));
    return collectRows(session.query(sql, params),
                       [&](const Row& row) { return itemAt(row, with_position); });
  });
}

Result<AnnotationItem> AnnotationItemRepository::setState(std::string_view project_id,
                                                          std::string_view queue_id,
                                                          std::string_view item_id,
                                                          std::string_view annotator_id,
                                                          AnnotationState state) {
  return database_.write([&](Session& session) -> Result<AnnotationItem> {
    TRY(requireQueue(session, project_id, queue_id, false));
    AnnotationItem item = TRY(findItem(session, project_id, queue_id, item_id));
    const std::optional<Row> noted = TRY(session.queryOne(
        "SELECT state FROM annotation_progress WHERE item_id = ? AND annotator_id = ?",
        {item_id, annotator_id}));
    std::optional<AnnotationState> stored;
    if (noted.has_value()) stored = annotationStateOf(noted->text("state"));
    const bool moves = TRY(checkTransition(stored, state));
    item.state = state;
    item.annotator_id = std::string(annotator_id);
    if (!moves) return item;
    // Insert a new row each time: its number tells which state is the newest.
    TRY(session.execute("DELETE FROM annotation_progress WHERE item_id = ? AND annotator_id = ?",
                        {item_id, annotator_id}));
    const Timestamp now = clock_.now();
    TRY(session.execute(
        "INSERT INTO annotation_progress (item_id, annotator_id, state, updated_at) "
        "VALUES (?, ?, ?, ?)",
        {item_id, annotator_id, textOf(state), now}));
    TRY(session.execute("UPDATE annotation_items SET updated_at = ? WHERE id = ?", {now, item_id}));
    item.updated_at = now;
    return item;
  });
}

Result<std::vector<QueueMembership>> AnnotationItemRepository::memberships(
    std::string_view project_id) {
  return database_.read([&](Session& session) {
    return collectRows(
        session.query(
            "SELECT call_id, queue_id FROM annotation_items WHERE project_id = ? ORDER BY number",
            {project_id}),
        [](const Row& row) {
          return QueueMembership{row.text("call_id"), row.text("queue_id")};
        });
  });
}

}  // namespace spindle::tracing
