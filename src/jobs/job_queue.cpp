#include "jobs/job_queue.h"

#include <algorithm>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/id.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"

namespace spindle::jobs {
namespace {

using storage::Params, storage::Row, storage::Rows, storage::Session;

/// Selects the jobs that are due and are the first open job with their queue key.
constexpr SqlView kReady =
    "WHERE j.kind = ? AND j.finished_at IS NULL AND ((j.state = 'queued' AND j.run_at <= ?) OR "
    "(j.state = 'running' AND j.leased_until <= ?)) AND NOT EXISTS (SELECT 1 FROM jobs earlier "
    "WHERE earlier.kind = j.kind AND earlier.queue_key = j.queue_key AND earlier.position < "
    "j.position AND earlier.finished_at IS NULL) ";
constexpr SqlView kOfId = "AND j.id = ? ";
constexpr SqlView kInOrder = "ORDER BY j.run_at, j.position LIMIT ?";

const storage::Columns<Job>& jobColumns() {
  static const storage::Columns<Job> columns{{"id", &Job::id},
                                             {"kind", &Job::kind},
                                             {"state", &Job::state, jobStateOf, textOf},
                                             {"payload", &Job::payload},
                                             {"progress", &Job::progress},
                                             {"error", &Job::error},
                                             {"queue_key", &Job::queue_key},
                                             {"unique_key", &Job::unique_key},
                                             {"attempts", &Job::attempts},
                                             {"cancel_requested", &Job::cancel_requested},
                                             {"worker", &Job::worker},
                                             {"leased_until", &Job::leased_until},
                                             {"run_at", &Job::run_at},
                                             {"created_at", &Job::created_at},
                                             {"updated_at", &Job::updated_at},
                                             {"finished_at", &Job::finished_at}};
  return columns;
}

SqlText select(SqlView tail) { return "SELECT " + jobColumns().list() + " FROM jobs j " + tail; }

Error leaseLost() {
  return Error::conflict("The worker no longer holds the lease of this job.").because("lease_lost");
}

Result<Job> jobOf(Session& session, std::string_view id) {
  const std::optional<Row> row = TRY(session.queryOne(select("WHERE j.id = ?"), {id}));
  if (!row) return Error::notFound("There is no such job.");
  return jobColumns().read(*row);
}

/// Changes a leased job. `assignments` is trusted SQL; `params` are its parameters.
Result<void> change(storage::Database& database,
                    std::string_view id,
                    std::string_view token,
                    SqlView assignments,
                    Params params) {
  const SqlText sql = "UPDATE jobs SET " + SqlText(assignments) + " WHERE id = ? AND token = ?";
  params.emplace_back(id);
  params.emplace_back(token);
  return database.write([&](Session& session) -> Result<void> {
    const std::int64_t changed = TRY(session.execute(sql, params));
    if (changed == 0) return leaseLost();
    return {};
  });
}

Result<void> finish(storage::Database& database,
                    std::string_view id,
                    std::string_view token,
                    JobState state,
                    std::optional<std::string_view> error,
                    Timestamp now) {
  return change(database, id, token,
                "state = ?, error = ?, token = NULL, leased_until = NULL, updated_at = ?, "
                "finished_at = ?",
                {textOf(state), error, now, now});
}

/// The first parameter is the present time; the others belong to the condition.
Result<std::int64_t> releaseJobs(storage::Database& database,
                                 SqlView condition,
                                 const Params& params) {
  const SqlText sql =
      "UPDATE jobs SET state = 'queued', worker = NULL, token = NULL, leased_until = NULL, "
      "updated_at = ? WHERE finished_at IS NULL AND " +
      SqlText(condition);
  return database.write([&](Session& session) { return session.execute(sql, params); });
}

}  // namespace

Result<Job> JobQueue::enqueue(const NewJob& fresh) {
  return database_.write([&](Session& session) { return enqueue(session, fresh); });
}

Result<Job> JobQueue::enqueue(Session& session, const NewJob& fresh) {
  const Timestamp now = clocks_.wall.now();
  Job job;
  job.id = fresh.id ? *fresh.id : newUuid(now);
  job.kind = fresh.kind;
  job.payload = fresh.payload;
  job.queue_key = fresh.queue_key;
  job.unique_key = fresh.unique_key;
  job.run_at = fresh.run_at ? clocks_.scheduled(*fresh.run_at) : clocks_.schedule.now();
  job.created_at = job.updated_at = now;
  if (job.unique_key) {
    const std::optional<Row> known = TRY(session.queryOne(
        select("WHERE j.kind = ? AND j.unique_key = ?"), {job.kind, job.unique_key}));
    if (known) return jobColumns().read(*known);
  }
  TRY(session.execute(jobColumns().insertInto("jobs"), jobColumns().valuesOf(job)));
  return job;
}

Result<std::optional<LeasedJob>> JobQueue::lease(std::string_view kind,
                                                 std::string_view worker,
                                                 std::chrono::microseconds duration) {
  // Most lease requests find no job; a read first keeps them from blocking writers.
  if (!TRY(hasReady(kind))) return std::optional<LeasedJob>();
  return leaseFirst(kind, worker, duration, std::nullopt);
}

Result<std::optional<LeasedJob>> JobQueue::lease(std::string_view kind,
                                                 std::string_view worker,
                                                 std::chrono::microseconds duration,
                                                 const Accepts& accepts) {
  for (const Job& job : TRY(ready(kind))) {
    if (!accepts(job)) continue;
    // Another worker may have leased it meanwhile.
    std::optional<LeasedJob> leased = TRY(leaseFirst(kind, worker, duration, job.id));
    if (leased) return leased;
  }
  return std::optional<LeasedJob>();
}

Result<std::optional<LeasedJob>> JobQueue::leaseFirst(std::string_view kind,
                                                      std::string_view worker,
                                                      std::chrono::microseconds duration,
                                                      std::optional<std::string_view> id) {
  const Timestamp now = clocks_.wall.now();
  const Timestamp due = clocks_.schedule.now();
  const SqlText ready = select(SqlText(kReady) + SqlText(id ? kOfId : SqlView()) + kInOrder);
  Params asked{kind, due, due};
  if (id) asked.emplace_back(*id);
  asked.emplace_back(1);
  const std::string token = randomAlphanumeric(20);
  return database_.write([&](Session& session) -> Result<std::optional<LeasedJob>> {
    const std::optional<Row> row = TRY(session.queryOne(ready, asked));
    if (!row) return std::optional<LeasedJob>();
    LeasedJob leased{jobColumns().read(*row), token};
    Job& job = leased.job;
    job.state = JobState::kRunning;
    job.attempts += 1;
    job.worker = worker;
    job.leased_until = due + duration;
    job.updated_at = now;
    TRY(session.execute(
        "UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = ?, token = ?, "
        "leased_until = ?, updated_at = ? WHERE id = ?",
        {worker, token, job.leased_until, now, job.id}));
    return std::optional(std::move(leased));
  });
}

Result<std::vector<Job>> JobQueue::ready(std::string_view kind) {
  const Timestamp now = clocks_.schedule.now();
  return database_.read([&](Session& session) -> Result<std::vector<Job>> {
    const Rows rows =
        TRY(session.query(select(SqlText(kReady) + kInOrder), {kind, now, now, kMostConsidered}));
    return jobColumns().readAll(rows);
  });
}

Result<bool> JobQueue::hasReady(std::string_view kind) {
  const Timestamp now = clocks_.schedule.now();
  return database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> row =
        TRY(session.queryOne(select(SqlText(kReady) + kInOrder), {kind, now, now, 1}));
    return row.has_value();
  });
}

Result<bool> JobQueue::hasReady(std::string_view kind, const Accepts& accepts) {
  const std::vector<Job> jobs = TRY(ready(kind));
  return std::any_of(jobs.begin(), jobs.end(), accepts);
}

Result<HeartBeat> JobQueue::heartBeat(std::string_view id,
                                      std::string_view token,
                                      std::chrono::microseconds duration) {
  const Timestamp now = clocks_.wall.now();
  return database_.write([&](Session& session) -> Result<HeartBeat> {
    const std::optional<Row> row = TRY(session.queryOne(
        "UPDATE jobs SET leased_until = ?, updated_at = ? WHERE id = ? AND token = ? RETURNING "
        "cancel_requested",
        {clocks_.schedule.now() + duration, now, id, token}));
    if (!row) return leaseLost();
    return HeartBeat{row->boolean("cancel_requested")};
  });
}

Result<void> JobQueue::setProgress(std::string_view id,
                                   std::string_view token,
                                   std::string_view progress) {
  return change(database_, id, token, "progress = ?, updated_at = ?",
                {progress, clocks_.wall.now()});
}

Result<void> JobQueue::complete(std::string_view id, std::string_view token) {
  return finish(database_, id, token, JobState::kSucceeded, std::nullopt, clocks_.wall.now());
}

Result<void> JobQueue::fail(std::string_view id,
                            std::string_view token,
                            std::string_view error,
                            std::optional<Timestamp> retry_at) {
  const Timestamp now = clocks_.wall.now();
  if (!retry_at) return finish(database_, id, token, JobState::kFailed, error, now);
  return change(database_, id, token,
                "state = 'queued', error = ?, run_at = ?, worker = NULL, token = NULL, "
                "leased_until = NULL, updated_at = ?",
                {error, clocks_.scheduled(*retry_at), now});
}

Result<void> JobQueue::endCancelled(std::string_view id, std::string_view token) {
  return finish(database_, id, token, JobState::kCancelled, std::nullopt, clocks_.wall.now());
}

Result<void> JobQueue::release(std::string_view id, std::string_view token) {
  return change(database_, id, token,
                "state = 'queued', attempts = attempts - 1, worker = NULL, token = NULL, "
                "leased_until = NULL, updated_at = ?",
                {clocks_.wall.now()});
}

Result<std::int64_t> JobQueue::releaseWorker(std::string_view kind, std::string_view worker) {
  return releaseJobs(database_, "kind = ? AND worker = ?", {clocks_.wall.now(), kind, worker});
}

Result<std::int64_t> JobQueue::releaseWorker(std::string_view worker) {
  return releaseJobs(database_, "worker = ?", {clocks_.wall.now(), worker});
}

Result<Job> JobQueue::cancel(std::string_view id) {
  const Timestamp now = clocks_.wall.now();
  return database_.write([&](Session& session) -> Result<Job> {
    TRY(session.execute(
        "UPDATE jobs SET cancel_requested = 1, state = 'cancelled', updated_at = ?, finished_at = "
        "? WHERE id = ? AND state = 'queued'",
        {now, now, id}));
    TRY(session.execute(
        "UPDATE jobs SET cancel_requested = 1, updated_at = ? WHERE id = ? AND state = 'running'",
        {now, id}));
    return jobOf(session, id);
  });
}

Result<void> JobQueue::requireLease(Session& session, std::string_view id, std::string_view token) {
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT id FROM jobs WHERE id = ? AND token = ?", {id, token}));
  if (!row) return leaseLost();
  return {};
}

Result<void> JobQueue::end(Session& session,
                           std::string_view id,
                           JobState state,
                           std::optional<std::string_view> error) {
  const Timestamp now = clocks_.wall.now();
  TRY(session.execute(
      "UPDATE jobs SET state = ?, error = ?, token = NULL, leased_until = NULL, updated_at = ?, "
      "finished_at = ? WHERE id = ? AND finished_at IS NULL",
      {textOf(state), error, now, now, id}));
  return {};
}

Result<void> JobQueue::shiftSchedule(Session& session, std::chrono::microseconds by) {
  TRY(
      session.execute("UPDATE jobs SET run_at = run_at + ?, leased_until = leased_until + ? "
                      "WHERE finished_at IS NULL",
                      {by.count(), by.count()}));
  return {};
}

Result<Job> JobQueue::find(std::string_view id) {
  return database_.read([&](Session& session) { return jobOf(session, id); });
}

Result<std::vector<Job>> JobQueue::list(const JobFilter& filter) {
  SqlText sql = select({});
  Params params;
  const auto require = [&](SqlView column, storage::Value value) {
    sql += params.empty() ? SqlView("WHERE ") : SqlView("AND ");
    sql += column;
    sql += " = ? ";
    params.push_back(std::move(value));
  };
  if (filter.kind) require("kind", *filter.kind);
  if (filter.queue_key) require("queue_key", *filter.queue_key);
  if (filter.state) require("state", textOf(*filter.state));
  sql += "ORDER BY position DESC LIMIT ? OFFSET ?";
  params.emplace_back(filter.limit);
  params.emplace_back(filter.offset);
  return database_.read([&](Session& session) -> Result<std::vector<Job>> {
    const Rows rows = TRY(session.query(sql, params));
    std::vector<Job> jobs = jobColumns().readAll(rows);
    return jobs;
  });
}

Result<std::vector<Job>> JobQueue::open(std::string_view kind, std::int64_t limit) {
  return database_.read([&](Session& session) -> Result<std::vector<Job>> {
    const Rows rows = TRY(session.query(select("WHERE j.kind = ? AND j.finished_at IS NULL "
                                               "ORDER BY j.run_at, j.position LIMIT ?"),
                                        {kind, limit}));
    return jobColumns().readAll(rows);
  });
}

Result<std::int64_t> JobQueue::removeFinished(Timestamp before) {
  return database_.write([&](Session& session) {
    return session.execute("DELETE FROM jobs WHERE finished_at < ?", {before});
  });
}

}  // namespace spindle::jobs
