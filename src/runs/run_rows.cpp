#include "runs/run_rows.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "events/outbox.h"
#include "schema/compound.h"
#include "schema/scalar.h"
#include "storage/database/columns.h"
#include "storage/database/placeholders.h"

namespace spindle::runs {
namespace {

using storage::Params, storage::Row, storage::Rows, storage::Session;

Error refusal(RunState state, RunTrigger trigger) {
  const bool asked = trigger == RunTrigger::kSetPending || trigger == RunTrigger::kSetFailed;
  if (!asked) return notActive(state);
  return Error::conflict("A run that is " + std::string(textOf(state)) + " cannot be set " +
                         (trigger == RunTrigger::kSetPending ? "pending." : "failed."))
      .because("invalid_transition");
}

Result<void> fillTags(Session& session, std::vector<Run>& runs) {
  if (runs.empty()) return {};
  std::unordered_map<std::int64_t, Run*> by_number;
  Params numbers;
  for (Run& run : runs) {
    by_number.emplace(run.number, &run);
    numbers.emplace_back(run.number);
  }
  const std::size_t padded = storage::paddedCount(numbers.size());
  numbers.resize(padded, numbers.back());
  const Rows rows =
      TRY(session.query("SELECT run_number, tag FROM run_tags WHERE run_number IN " +
                            storage::placeholders(padded) + " ORDER BY run_number, position",
                        numbers));
  for (const Row& row : rows) {
    by_number.at(row.integer("run_number"))->tags.push_back(row.text("tag"));
  }
  return {};
}

Run runAt(const Row& row) {
  Run run;
  static_cast<RunHeader&>(run) = runHeaderColumns().read(row);
  run.config = row.text("config");
  run.metric_rules = row.text("metric_rules");
  run.summary = row.text("summary");
  run.notes = row.optionalText("notes");
  run.group = row.optionalText("run_group");
  run.job_type = row.optionalText("job_type");
  run.history_line_count = row.integer("line_count");
  run.last_step = row.optionalInteger("last_step");
  return run;
}

}  // namespace

std::string_view textOf(Stream stream) { return stream == Stream::kHistory ? "history" : "system"; }

const storage::Columns<RunHeader>& runHeaderColumns() {
  static const storage::Columns<RunHeader> columns{{"number", &RunHeader::number},
                                                   {"project_id", &RunHeader::project_id},
                                                   {"run_id", &RunHeader::run_id},
                                                   {"name", &RunHeader::name},
                                                   {"owner_id", &RunHeader::owner_id},
                                                   {"owner", &RunHeader::owner},
                                                   {"state", &RunHeader::state, runStateOf, textOf},
                                                   {"exit_code", &RunHeader::exit_code},
                                                   {"stop_requested", &RunHeader::stop_requested},
                                                   {"revision", &RunHeader::revision},
                                                   {"created_at", &RunHeader::created_at},
                                                   {"updated_at", &RunHeader::updated_at},
                                                   {"heartbeat_at", &RunHeader::heartbeat_at},
                                                   {"finished_at", &RunHeader::finished_at}};
  return columns;
}

Result<std::optional<RunHeader>> findRunHeader(Session& session, const RunKey& key) {
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT " + runHeaderColumns().list("r") +
                               " FROM runs r WHERE r.project_id = ? AND r.run_id = ?",
                           {key.project_id, key.run_id}));
  if (!row.has_value()) return std::optional<RunHeader>();
  return std::optional(runHeaderColumns().read(*row));
}

Result<RunHeader> requireRunHeader(Session& session, const RunKey& key) {
  std::optional<RunHeader> found = TRY(findRunHeader(session, key));
  if (!found.has_value()) return Error::notFound("Run not found");
  return *std::move(found);
}

Result<std::vector<Run>> selectRuns(Session& session, SqlView tail, const Params& params) {
  std::vector<Run> runs = TRY(collectRows(
      session.query(
          "SELECT " + runHeaderColumns().list("r") +
              ", r.run_group, r.job_type, d.config, d.metric_rules, d.notes, s.line_count, "
              "s.last_step, s.summary FROM runs r JOIN run_details d ON d.run_number = r.number "
              "JOIN run_streams s ON s.run_number = r.number AND s.stream = 'history' " +
              tail,
          params),
      runAt));
  TRY(fillTags(session, runs));
  return runs;
}

Result<Run> requireRun(Session& session, const RunKey& key) {
  std::vector<Run> runs = TRY(
      selectRuns(session, "WHERE r.project_id = ? AND r.run_id = ?", {key.project_id, key.run_id}));
  if (runs.empty()) return Error::notFound("Run not found");
  return std::move(runs.front());
}

Result<Tail> readTail(Session& session, std::int64_t run_number, Stream stream) {
  const Rows rows = TRY(
      session.query("SELECT first_line, lines FROM run_tails WHERE run_number = ? AND stream = ? "
                    "ORDER BY first_line",
                    {run_number, textOf(stream)}));
  Tail tail;
  for (const Row& row : rows) {
    if (tail.lines.empty()) tail.first_line = row.integer("first_line");
    tail.lines += row.text("lines");
  }
  return tail;
}

Error notActive(RunState state) {
  return Error::conflict("The run is " + std::string(textOf(state)) + ".")
      .because("run_not_active");
}

Result<bool> raiseRunStateEvent(Session& session,
                                const RunEventContext& event_context,
                                const RunHeader& run) {
  const std::string_view word = eventStateOf(run.state);
  if (word.empty()) return false;
  events::NewEvent event;
  event.type = events::EventType::kRunState;
  event.subject.team_id = event_context.place.team_id;
  event.subject.project_id = event_context.place.project_id;
  event.subject.run_id = run.run_id;
  event.author_id = run.owner_id;
  event.author = run.owner;
  event.data = schema::map(schema::string())
                   .toJson({{"entity_name", event_context.place.entity},
                            {"project_name", event_context.place.project},
                            {"run_id", run.run_id},
                            {"run_name", run.name},
                            {"run_owner", run.owner},
                            {"run_state", std::string(word)}});
  TRY(event_context.outbox.append(session, event));
  return true;
}

Result<bool> transitionRun(Session& session,
                           const RunEventContext& event_context,
                           RunHeader& run,
                           RunTrigger trigger,
                           Timestamp now,
                           std::optional<std::int64_t> exit_code) {
  const std::optional<RunState> next = nextState(run.state, trigger);
  if (!next) return refusal(run.state, trigger);
  if (*next == run.state) {
    run.heartbeat_at = now;
    TRY(session.execute("UPDATE runs SET heartbeat_at = ? WHERE number = ?", {now, run.number}));
    return false;
  }
  run.state = *next;
  run.exit_code = exit_code;
  run.finished_at = isActive(*next) ? std::nullopt : std::optional(now);
  // A stop request expires when the run ends or starts again.
  run.stop_requested = false;
  if (isActive(*next)) run.heartbeat_at = now;
  run.updated_at = now;
  ++run.revision;
  TRY(session.execute(
      "UPDATE runs SET state = ?, exit_code = ?, stop_requested = 0, revision = ?, updated_at = ?, "
      "heartbeat_at = ?, finished_at = ? WHERE number = ?",
      {textOf(run.state), run.exit_code, run.revision, run.updated_at, run.heartbeat_at,
       run.finished_at, run.number}));
  return raiseRunStateEvent(session, event_context, run);
}

}  // namespace spindle::runs
