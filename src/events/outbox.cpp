#include "events/outbox.h"

#include <optional>

#include "base/crypto/id.h"
#include "storage/database/columns.h"

namespace spindle::events {
namespace {

using storage::Row, storage::Rows, storage::Session;

/// The columns without `position`, which a later transaction assigns, and `type`.
const storage::Columns<Event>& eventColumns() {
  static const storage::Columns<Event> columns{
      {"id", &Event::id},
      {"team_id", &Event::subject, &Subject::team_id},
      {"project_id", &Event::subject, &Subject::project_id},
      {"registry_id", &Event::subject, &Subject::registry_id},
      {"collection_id", &Event::subject, &Subject::collection_id},
      {"artifact_id", &Event::subject, &Subject::artifact_id},
      {"run_id", &Event::subject, &Subject::run_id},
      {"author_id", &Event::author_id},
      {"author", &Event::author},
      {"change_id", &Event::change_id},
      {"data", &Event::data},
      {"created_at", &Event::time}};
  return columns;
}

/// The number of events that get positions, or are deleted, in one transaction.
constexpr int kBatch = 1000;

Result<Event> eventAt(const Row& row) {
  const std::optional<EventType> type = eventTypeOf(row.text("type"));
  if (!type) return Error::internal("unknown event type in the outbox");
  Event event = eventColumns().read(row);
  event.position = row.optionalInteger("position").value_or(0);
  event.type = *type;
  return event;
}

/// Assigns positions to committed events that have none. Rows of open transactions are not visible
/// here; they get later positions.
Result<void> assignPositions(Session& session) {
  const Rows fresh = TRY(session.query(
      "SELECT appended FROM events WHERE position IS NULL ORDER BY appended LIMIT ?", {kBatch}));
  if (fresh.empty()) return {};
  const auto count = static_cast<std::int64_t>(fresh.size());
  const std::optional<Row> counter = TRY(session.queryOne(
      "UPDATE event_positions SET last = last + ? WHERE id = 1 RETURNING last", {count}));
  std::int64_t position = counter->integer("last") - count;
  for (const Row& row : fresh) {
    TRY(session.execute("UPDATE events SET position = ? WHERE appended = ?",
                        {++position, row.integer("appended")}));
  }
  return {};
}

/// Returns the events that `tail` selects.
Result<std::vector<Event>> select(Session& session, SqlView tail, const storage::Params& params) {
  const Rows rows = TRY(session.query(
      "SELECT position, type, " + eventColumns().list() + " FROM events " + tail, params));
  std::vector<Event> events;
  events.reserve(rows.size());
  for (const Row& row : rows) {
    Event event = TRY(eventAt(row));
    events.push_back(std::move(event));
  }
  return events;
}

Result<std::vector<Event>> readAfter(Session& session, std::int64_t position, int limit) {
  return select(session, "WHERE position > ? ORDER BY position LIMIT ?", {position, limit});
}

}  // namespace

Result<std::string> Outbox::append(Session& session, const NewEvent& event) const {
  const Timestamp now = clock_.now();
  const Event stored{event, newPrefixedId("evt_", now), /*position=*/0, now};
  TRY(session.execute(eventColumns().insertInto("events", {"type"}),
                      eventColumns().valuesOf(stored, {textOf(event.type)})));
  return stored.id;
}

Result<std::vector<Event>> Outbox::after(std::int64_t position, int limit) {
  Result<std::vector<Event>> known =
      database_.read([&](Session& session) { return readAfter(session, position, limit); });
  // Only a consumer that has read all events with positions has to write.
  if (!known || !known->empty()) return known;
  const bool fresh = TRY(database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT appended FROM events WHERE position IS NULL LIMIT 1"));
    return row.has_value();
  }));
  if (!fresh) return known;
  return database_.write([&](Session& session) { return after(session, position, limit); });
}

Result<std::vector<Event>> Outbox::after(Session& session, std::int64_t position, int limit) {
  TRY(assignPositions(session));
  return readAfter(session, position, limit);
}

Result<Event> Outbox::find(std::string_view id) {
  return database_.read([&](Session& session) -> Result<Event> {
    std::vector<Event> found = TRY(select(session, "WHERE id = ?", {id}));
    if (found.empty()) return Error::notFound("Event not found");
    return std::move(found.front());
  });
}

Result<std::vector<Event>> Outbox::list(const EventFilter& filter, std::int64_t before, int limit) {
  SqlText condition("WHERE position < ? ");
  storage::Params params = {before};
  const auto add_condition = [&](SqlView comparison, const auto& value) {
    if (!value) return;
    condition += "AND " + SqlText(comparison) + " ? ";
    params.emplace_back(*value);
  };
  if (filter.type) add_condition("type =", std::optional(textOf(*filter.type)));
  add_condition("team_id =", filter.team_id);
  add_condition("project_id =", filter.project_id);
  add_condition("registry_id =", filter.registry_id);
  add_condition("collection_id =", filter.collection_id);
  add_condition("run_id =", filter.run_id);
  add_condition("created_at >=", filter.since);
  params.emplace_back(limit);
  return database_.read([&](Session& session) {
    return select(session, condition + "ORDER BY position DESC LIMIT ?", params);
  });
}

Result<std::int64_t> Outbox::removeOlderThan(Timestamp before, std::int64_t position) {
  return database_.write([&](Session& session) {
    return session.execute(
        "DELETE FROM events WHERE appended IN (SELECT appended FROM events WHERE created_at < ? "
        "AND position <= ? ORDER BY created_at LIMIT ?)",
        {before, position, kBatch});
  });
}

std::uint64_t Outbox::signals() const {
  const MutexLock lock(mutex_);
  return signals_;
}

bool Outbox::wait(std::uint64_t seen, std::chrono::milliseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  const MutexLock lock(mutex_);
  while (signals_ == seen) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return false;
    changed_.waitFor(mutex_, left);
  }
  return true;
}

void Outbox::wake() {
  const MutexLock lock(mutex_);
  ++signals_;
  changed_.notifyAll();
}

}  // namespace spindle::events
