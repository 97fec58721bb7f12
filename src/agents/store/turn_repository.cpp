#include "agents/store/turn_repository.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "events/outbox.h"
#include "json/writer.h"
#include "storage/database/database.h"

namespace spindle::agents {
namespace {

using storage::Row;
using storage::Session;

/// Turns that one statement forgets.
constexpr std::int64_t kForgottenAtOnce = 1'000;

constexpr std::string_view kTurnEnded = "svc.genai.turn_ended";

std::string dataOf(const identity::Project& project, const EndedTurn& turn) {
  std::string data;
  json::Writer out(data);
  out.beginObject();
  const std::initializer_list<std::pair<std::string_view, std::string_view>> texts = {
      {"event_type", kTurnEnded},
      {"status_code", turn.status_code},
      {"project_id", project.id},
      {"entity_name", project.team_name},
      {"trace_id", turn.trace_id},
      {"span_id", turn.span_id},
      {"operation_name", turn.operation_name}};
  for (const auto& [name, text] : texts) out.key(name).string(text);
  out.key("parent_span_id").null().key("conversation_id");
  turn.conversation_id.empty() ? out.null() : out.string(turn.conversation_id);
  out.endObject();
  return data;
}

}  // namespace

Result<std::int64_t> TurnRepository::beginEpoch(storage::Database& database) {
  return database.write([](Session& session) -> Result<std::int64_t> {
    const std::optional<Row> row = TRY(session.queryOne(
        "UPDATE agent_turn_epochs SET last = last + 1 WHERE id = 1 RETURNING last"));
    return row->integer("last");
  });
}

Result<std::int64_t> TurnRepository::position(std::string_view project_id) {
  return database_.read([project_id](Session& session) -> Result<std::int64_t> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT position FROM agent_turn_positions WHERE project_id = ?", {project_id}));
    return row.has_value() ? row->integer("position") : 0;
  });
}

Result<void> TurnRepository::publish(const identity::Project& project,
                                     const std::vector<EndedTurn>& turns) {
  return outbox_.write([&](Session& session) -> Result<void> {
    for (const EndedTurn& turn : turns) {
      TRY(append(session, project, turn));
    }
    TRY(
        session.execute("INSERT INTO agent_turn_positions (project_id, position) VALUES (?, ?) "
                        "ON CONFLICT (project_id) DO UPDATE SET position = excluded.position",
                        {project.id, turns.back().number}));
    return {};
  });
}

Result<void> TurnRepository::append(Session& session,
                                    const identity::Project& project,
                                    const EndedTurn& turn) {
  events::NewEvent event;
  event.type = events::EventType::kAgentTurnEnded;
  event.subject.team_id = project.team_id;
  event.subject.project_id = project.id;
  event.data = dataOf(project, turn);
  TRY(outbox_.append(session, event));
  return {};
}

Result<std::int64_t> TurnRepository::publishOnce(const std::vector<TurnsOfProject>& turns,
                                                 Timestamp now,
                                                 std::optional<std::int64_t> position) {
  return outbox_.write([&](Session& session) -> Result<std::int64_t> {
    std::int64_t published = 0;
    for (const TurnsOfProject& one : turns) {
      for (const EndedTurn& turn : one.turns) {
        const std::int64_t is_new = TRY(session.execute(
            "INSERT INTO agent_published_turns (project_id, trace_id, span_id, published_at) "
            "VALUES (?, ?, ?, ?) ON CONFLICT (project_id, trace_id, span_id) DO NOTHING",
            {one.project.id, turn.trace_id, turn.span_id, now}));
        if (is_new == 0) continue;
        TRY(append(session, one.project, turn));
        ++published;
      }
    }
    if (position) {
      TRY(session.execute("UPDATE agent_turn_scans SET position = ? WHERE id = 1 AND position < ?",
                          {*position, *position}));
    }
    return published;
  });
}

Result<std::optional<std::int64_t>> TurnRepository::leaseScan(std::string_view worker,
                                                              Timestamp now,
                                                              Timestamp until) {
  return database_.write([&](Session& session) -> Result<std::optional<std::int64_t>> {
    const std::optional<Row> row = TRY(
        session.queryOne("UPDATE agent_turn_scans SET worker = ?, leased_until = ? "
                         "WHERE id = 1 AND (worker = ? OR leased_until <= ?) RETURNING position",
                         {worker, until, worker, now}));
    return row ? std::optional(row->integer("position")) : std::nullopt;
  });
}

Result<std::int64_t> TurnRepository::forgetPublished(Timestamp before) {
  return database_.write([&](Session& session) {
    return session.execute(
        "DELETE FROM agent_published_turns WHERE (project_id, trace_id, span_id) IN "
        "(SELECT project_id, trace_id, span_id FROM agent_published_turns WHERE published_at < ? "
        "ORDER BY published_at LIMIT ?)",
        {before, kForgottenAtOnce});
  });
}

}  // namespace spindle::agents
