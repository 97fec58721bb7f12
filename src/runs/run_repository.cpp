#include "runs/run_repository.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "events/outbox.h"
#include "identity/audit/audit_trail.h"
#include "live/change_log.h"
#include "registry/artifacts/json_members.h"
#include "runs/metric_observer.h"
#include "runs/run_name.h"
#include "runs/run_rows.h"
#include "storage/database/database.h"

namespace spindle::runs {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using registry::Actor, registry::Place;
using storage::Params, storage::Row, storage::Rows, storage::Session;

constexpr int kMaxCrashedPerPass = 500;
constexpr std::chrono::seconds kClockTolerance{5};

/// Executes one statement and ignores the row count.
Result<void> run(Session& session, SqlView sql, const Params& params) {
  TRY(session.execute(sql, params));
  return {};
}

Result<void> replaceTags(Session& session,
                         std::int64_t number,
                         const std::vector<std::string>& tags) {
  TRY(run(session, "DELETE FROM run_tags WHERE run_number = ?", {number}));
  std::int64_t position = 0;
  for (const std::string& tag : tags) {
    TRY(run(session,
            "INSERT INTO run_tags (run_number, tag, position) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            {number, tag, position++}));
  }
  return {};
}

/// Writes the members of a change that have a value.
Result<void> apply(Session& session, std::int64_t number, const RunChange& change) {
  const auto set = [&](SqlName table, SqlName key, SqlName column,
                       const auto& value) -> Result<void> {
    if (!value) return {};
    return run(session,
               "UPDATE " + SqlText(table) + " SET " + column + " = ? WHERE " + key + " = ?",
               {*value, number});
  };
  TRY(set("runs", "number", "name", change.name));
  TRY(set("runs", "number", "run_group", change.group));
  TRY(set("runs", "number", "job_type", change.job_type));
  TRY(set("run_details", "run_number", "config", change.config));
  TRY(set("run_details", "run_number", "notes", change.notes));
  TRY(set("run_details", "run_number", "metric_rules", change.metric_rules));
  if (change.summary) {
    // The sums belong to the old summary.
    TRY(run(session,
            "UPDATE run_streams SET summary = ?, sums = '{}' WHERE run_number = ? AND "
            "stream = 'history'",
            {*change.summary, number}));
  }
  if (!change.tags) return {};
  return replaceTags(session, number, *change.tags);
}

RunChange changeOf(const NewRun& fresh) {
  RunChange change;
  change.name = fresh.name;
  change.config = fresh.config;
  change.metric_rules = fresh.metric_rules;
  change.tags = fresh.tags;
  if (fresh.notes) change.notes = fresh.notes;
  if (fresh.group) change.group = fresh.group;
  if (fresh.job_type) change.job_type = fresh.job_type;
  return change;
}

Result<void> touch(Session& session, std::int64_t number, Timestamp now) {
  return run(session, "UPDATE runs SET revision = revision + 1, updated_at = ? WHERE number = ?",
             {now, number});
}

/// Moves the heartbeat times after the wall clock was set forward by `by` (negative: set back).
Result<void> followClock(Session& session, Timestamp now, std::chrono::microseconds by) {
  if (by >= kClockTolerance) {
    TRY(run(session,
            "UPDATE runs SET heartbeat_at = heartbeat_at + ? "
            "WHERE state = 'running' AND heartbeat_at <= ?",
            {static_cast<std::int64_t>(by.count()), now - by}));
  }
  // The clock was set back, in this process or before its start: restart the timeout now.
  return run(session,
             "UPDATE runs SET heartbeat_at = ? WHERE state = 'running' AND heartbeat_at > ?",
             {now, now + kClockTolerance});
}

Result<RunHeader> insertRun(
    Session& session, const Place& place, const Actor& actor, const NewRun& fresh, Timestamp now) {
  const std::optional<Row> last = TRY(session.queryOne(
      "SELECT sequence FROM runs WHERE project_id = ? ORDER BY number DESC LIMIT 1",
      {place.project_id}));
  const std::int64_t sequence = last.has_value() ? last->integer("sequence") + 1 : 1;
  const std::string run_id = fresh.run_id ? *fresh.run_id : randomRunId();
  const RunState state = fresh.pending ? RunState::kPending : RunState::kRunning;
  const std::optional<Row> inserted = TRY(session.queryOne(
      "INSERT INTO runs (project_id, run_id, sequence, name, owner_id, owner, state, "
      "stop_requested, revision, created_at, updated_at, heartbeat_at) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?) RETURNING number",
      {place.project_id, run_id, sequence, randomRunName(sequence), actor.user_id, actor.username,
       textOf(state), now, now, now}));
  const std::int64_t number = inserted->integer("number");
  TRY(run(session,
          "INSERT INTO run_details (run_number, config, metric_rules) VALUES (?, '{}', '{}')",
          {number}));
  for (const Stream stream : {Stream::kHistory, Stream::kSystem}) {
    TRY(run(session,
            "INSERT INTO run_streams (run_number, stream, line_count, tail_lines, tail_bytes, "
            "summary, sums) VALUES (?, ?, 0, 0, 0, '{}', '{}')",
            {number, textOf(stream)}));
  }
  TRY(apply(session, number, changeOf(fresh)));
  return requireRunHeader(session, {place.project_id, run_id});
}

/// Returns the filter as SQL conditions that begin with AND, and appends their parameters.
SqlText conditionOf(const RunFilter& filter, Params& params) {
  SqlText condition;
  const auto equal = [&](SqlView column, const std::optional<std::string>& value) {
    if (!value) return;
    condition.add(" AND ").add(column).add(" = ?");
    params.emplace_back(*value);
  };
  equal("r.state", filter.state);
  equal("r.run_group", filter.group);
  equal("r.job_type", filter.job_type);
  equal("r.owner", filter.user);
  if (filter.tag) {
    condition +=
        " AND EXISTS (SELECT 1 FROM run_tags t WHERE t.run_number = r.number AND t.tag = ?)";
    params.emplace_back(*filter.tag);
  }
  return condition;
}

RunTrigger triggerOf(const RunEnd& end) {
  if (end.exit_code == 0) return RunTrigger::kExitSuccess;
  return end.preempting ? RunTrigger::kExitPreempted : RunTrigger::kExitFailure;
}

Result<void> mergeSummary(Session& session, std::int64_t number, const std::string& added) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT summary FROM run_streams WHERE run_number = ? AND stream = 'history'", {number}));
  return run(session,
             "UPDATE run_streams SET summary = ? WHERE run_number = ? AND stream = 'history'",
             {registry::mergedMembers(row->text("summary"), added), number});
}

}  // namespace

void RunRepository::announce(std::string_view project_id) {
  if (changes_ != nullptr) changes_->publish(live::Topic::kRuns, project_id, 1, clock_.now());
}

Result<RunRepository::Started> RunRepository::start(const Place& place,
                                                    const Actor& actor,
                                                    const NewRun& fresh) {
  return announced(place.project_id, outbox_.write([&](Session& session) -> Result<Started> {
    const Timestamp now = clock_.now();
    const RunEventContext event_context{outbox_, place};
    std::optional<RunHeader> known;
    if (fresh.run_id) {
      std::optional<RunHeader> found =
          TRY(findRunHeader(session, {place.project_id, *fresh.run_id}));
      known = std::move(found);
    }
    if (!known && fresh.resume == Resume::kMust) return Error::notFound("Run not found");
    if (known && fresh.resume == Resume::kNever) {
      return Error::conflict("A run with this id exists already.").because("run_exists");
    }
    const bool created = !known.has_value();
    Result<RunHeader> head = created ? insertRun(session, place, actor, fresh, now)
                                     : Result<RunHeader>(*std::move(known));
    if (!head) return std::move(head).error();
    if (created) {
      TRY(raiseRunStateEvent(session, event_context, *head));
    } else {
      TRY(apply(session, head->number, changeOf(fresh)));
      TRY(touch(session, head->number, now));
      // Read again: the event must contain the new name.
      head = requireRunHeader(session, {place.project_id, head->run_id});
      if (!head) return std::move(head).error();
      TRY(transitionRun(session, event_context, *head, RunTrigger::kResume, now));
    }
    Run whole = TRY(requireRun(session, {place.project_id, head->run_id}));
    return Started{std::move(whole), created};
  }));
}

Result<Run> RunRepository::find(const RunKey& key) {
  return database_.read([&](Session& session) { return requireRun(session, key); });
}

Result<Page<Run>> RunRepository::list(std::string_view project_id,
                                      const RunFilter& filter,
                                      const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<Run>> {
    Params params{project_id};
    SqlText tail("WHERE r.project_id = ?");
    if (!page.after.empty()) {
      std::int64_t after = 0;
      std::from_chars(page.after.data(), page.after.data() + page.after.size(), after);
      tail += " AND r.number < ?";
      params.emplace_back(after);
    }
    tail += conditionOf(filter, params) + " ORDER BY r.number DESC LIMIT ?";
    params.emplace_back(page.limit + 1);
    std::vector<Run> runs = TRY(selectRuns(session, tail, params));
    return identity::pageOf(std::move(runs), page.limit,
                            [](const Run& one) { return std::to_string(one.number); });
  });
}

Result<Run> RunRepository::update(const RunKey& key,
                                  const RunChange& change,
                                  IfVersion if_version) {
  return announced(key.project_id, database_.write([&](Session& session) -> Result<Run> {
    const RunHeader head = TRY(requireRunHeader(session, key));
    TRY(identity::checkVersion(if_version, head.revision));
    TRY(apply(session, head.number, change));
    TRY(touch(session, head.number, clock_.now()));
    return requireRun(session, key);
  }));
}

Result<void> RunRepository::remove(const RunKey& key, IfVersion if_version) {
  return announced(key.project_id, database_.write([&](Session& session) -> Result<void> {
    const RunHeader head = TRY(requireRunHeader(session, key));
    TRY(identity::checkVersion(if_version, head.revision));
    if (observer_ != nullptr) {
      TRY(observer_->forget(session, key.project_id, key.run_id));
    }
    TRY(session.execute("INSERT INTO run_remains (run_number, project_id) VALUES (?, ?)",
                        {head.number, key.project_id}));
    TRY(session.execute("DELETE FROM runs WHERE number = ?", {head.number}));
    return identity::recordChange(session,
                                  {.action = "run.delete",
                                   .target_id = key.run_id,
                                   .target_name = head.name,
                                   .project_id = key.project_id},
                                  clock_.now());
  }));
}

Result<bool> RunRepository::beat(const Place& place, std::string_view run_id) {
  struct Beaten {
    bool stop_requested = false;
    bool raised = false;
  };
  const Beaten beaten = TRY(database_.write([&](Session& session) -> Result<Beaten> {
    RunHeader head = TRY(requireRunHeader(session, {place.project_id, run_id}));
    const bool stop = head.stop_requested;
    const bool raised =
        TRY(transitionRun(session, {outbox_, place}, head, RunTrigger::kHeartbeat, clock_.now()));
    return Beaten{stop, raised};
  }));
  if (beaten.raised) {
    outbox_.wake();
    announce(place.project_id);
  }
  return beaten.stop_requested;
}

Result<Run> RunRepository::finish(const Place& place, std::string_view run_id, const RunEnd& end) {
  return announced(place.project_id, outbox_.write([&](Session& session) -> Result<Run> {
    RunHeader head = TRY(requireRunHeader(session, {place.project_id, run_id}));
    if (!isActive(head.state) && head.exit_code) {
      if (head.exit_code == end.exit_code) return requireRun(session, {place.project_id, run_id});
      return Error::conflict("The run ended with code " + std::to_string(*head.exit_code) + ".")
          .because("exit_code_differs");
    }
    TRY(transitionRun(session, {outbox_, place}, head, triggerOf(end), clock_.now(),
                      end.exit_code));
    if (end.summary) {
      TRY(mergeSummary(session, head.number, *end.summary));
    }
    return requireRun(session, {place.project_id, run_id});
  }));
}

Result<Run> RunRepository::move(const Place& place, std::string_view run_id, RunTrigger trigger) {
  return announced(place.project_id, outbox_.write([&](Session& session) -> Result<Run> {
    RunHeader head = TRY(requireRunHeader(session, {place.project_id, run_id}));
    TRY(transitionRun(session, {outbox_, place}, head, trigger, clock_.now()));
    return requireRun(session, {place.project_id, run_id});
  }));
}

Result<Run> RunRepository::requestStop(const RunKey& key) {
  return announced(key.project_id, database_.write([&](Session& session) -> Result<Run> {
    const RunHeader head = TRY(requireRunHeader(session, key));
    if (head.state != RunState::kRunning) return notActive(head.state);
    TRY(session.execute("UPDATE runs SET stop_requested = 1 WHERE number = ?", {head.number}));
    if (!head.stop_requested) {
      TRY(touch(session, head.number, clock_.now()));
    }
    return requireRun(session, key);
  }));
}

Result<std::int64_t> RunRepository::crashStaleRuns(std::chrono::microseconds silence) {
  const std::chrono::microseconds lead_now = lead();
  using ProjectIds = std::vector<std::string>;
  const ProjectIds crashed = TRY(database_.write([&](Session& session) -> Result<ProjectIds> {
    ProjectIds project_ids;
    const Timestamp now = clock_.now();
    TRY(followClock(session, now, lead_now - seen_lead_.load()));
    const Rows rows =
        TRY(session.query("SELECT " + runHeaderColumns().list("r") +
                              ", p.team_id, p.name AS project, t.name AS entity FROM runs r "
                              "JOIN published_projects p ON p.id = r.project_id "
                              "JOIN published_teams t ON t.id = p.team_id "
                              "WHERE r.state = 'running' AND r.heartbeat_at < ? "
                              "ORDER BY r.heartbeat_at LIMIT ?",
                          {now - silence, kMaxCrashedPerPass}));
    for (const Row& row : rows) {
      RunHeader head = runHeaderColumns().read(row);
      Place place;
      place.team_id = row.text("team_id");
      place.project_id = head.project_id;
      place.entity = row.text("entity");
      place.project = row.text("project");
      project_ids.push_back(head.project_id);
      TRY(transitionRun(session, {outbox_, place}, head, RunTrigger::kHeartbeatTimeout, now));
    }
    return project_ids;
  }));
  seen_lead_ = lead_now;
  if (!crashed.empty()) outbox_.wake();
  for (const std::string& project_id : crashed) announce(project_id);
  return static_cast<std::int64_t>(crashed.size());
}

}  // namespace spindle::runs
