#include "tracing/metadata/bulk_job_repository.h"

#include <utility>

#include "base/crypto/id.h"
#include "storage/database/database.h"
#include "tracing/metadata/text_list_json.h"

namespace spindle::tracing {
namespace {

using storage::Row, storage::Session;

constexpr SqlView kSelectJobs =
    "SELECT id, project_id, project_name, team_id, user_id, key_id, action, selection, "
    "parameters, expected_count, state, cancel_requested, total, done, failed, note, error, "
    "created_at, updated_at, finished_at FROM bulk_jobs ";

BulkJob jobAt(const Row& row) {
  BulkJob job;
  job.id = row.text("id");
  job.project_id = row.text("project_id");
  job.project_name = row.text("project_name");
  job.team_id = row.text("team_id");
  job.user_id = row.text("user_id");
  job.key_id = row.text("key_id");
  job.action = bulkActionOf(row.text("action"));
  job.selection = row.text("selection");
  job.parameters = row.text("parameters");
  job.expected_count = row.optionalInteger("expected_count");
  job.state = bulkStateOf(row.text("state"));
  job.cancel_requested = row.boolean("cancel_requested");
  job.total = row.optionalInteger("total");
  job.done = row.integer("done");
  job.failed = row.integer("failed");
  job.note = row.text("note");
  job.error = row.optionalText("error");
  job.created_at = row.time("created_at");
  job.updated_at = row.time("updated_at");
  job.finished_at = row.optionalTime("finished_at");
  return job;
}

Result<BulkJob> findIn(Session& session, std::string_view project_id, std::string_view id) {
  const std::optional<Row> row =
      TRY(session.queryOne(kSelectJobs + "WHERE project_id = ? AND id = ?", {project_id, id}));
  if (!row) return Error::notFound("Bulk job " + std::string(id) + " not found.");
  return jobAt(*row);
}

Result<void> endIn(Session& session,
                   std::string_view id,
                   BulkState state,
                   std::optional<std::string_view> error,
                   Timestamp now) {
  TRY(
      session.execute("UPDATE bulk_jobs SET state = ?, error = ?, updated_at = ?, finished_at = ? "
                      "WHERE id = ? AND finished_at IS NULL",
                      {textOf(state), error, now, now, id}));
  TRY(session.execute("DELETE FROM bulk_job_batches WHERE job_id = ?", {id}));
  return {};
}

}  // namespace

Result<BulkJob> BulkJobRepository::insert(const NewBulkJob& job,
                                          std::int64_t max_open,
                                          const InTransaction& enqueue) {
  return database_.write([&](Session& session) -> Result<BulkJob> {
    const std::optional<Row> open = TRY(session.queryOne(
        "SELECT count(*) AS jobs FROM bulk_jobs WHERE team_id = ? AND finished_at IS NULL",
        {job.team_id}));
    if (open && open->integer("jobs") >= max_open) {
      return Error(ErrorCode::kRateLimited,
                   "The team has " + std::to_string(max_open) +
                       " unfinished bulk jobs. Wait for one to end, or cancel one.");
    }
    const Timestamp now = clock_.now();
    const std::string id = newPrefixedId("bulk_", now);
    TRY(session.execute(
        "INSERT INTO bulk_jobs (id, project_id, project_name, team_id, user_id, key_id, action, "
        "selection, parameters, expected_count, state, cancel_requested, done, failed, note, "
        "created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, '', ?, ?)",
        {id, job.project_id, job.project_name, job.team_id, job.user_id, job.key_id,
         textOf(job.action), job.selection, job.parameters, job.expected_count,
         textOf(BulkState::kQueued), now, now}));
    TRY(enqueue(session, id));
    return findIn(session, job.project_id, id);
  });
}

Result<BulkJob> BulkJobRepository::find(std::string_view project_id, std::string_view id) {
  return database_.read([&](Session& session) { return findIn(session, project_id, id); });
}

Result<std::optional<BulkJob>> BulkJobRepository::findById(std::string_view id) {
  return database_.read([&](Session& session) -> Result<std::optional<BulkJob>> {
    const std::optional<Row> row = TRY(session.queryOne(kSelectJobs + "WHERE id = ?", {id}));
    return row ? std::optional(jobAt(*row)) : std::nullopt;
  });
}

Result<identity::Page<BulkJob>> BulkJobRepository::list(std::string_view project_id,
                                                        const identity::PageRequest& page) {
  return database_.read([&](Session& session) -> Result<identity::Page<BulkJob>> {
    std::vector<BulkJob> jobs = TRY(collectRows(
        session.query(kSelectJobs + "WHERE project_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
                      {project_id, page.below(), page.limit + 1}),
        jobAt));
    return identity::pageOf(std::move(jobs), page.limit, [](const BulkJob& job) { return job.id; });
  });
}

Result<BulkJob> BulkJobRepository::cancel(std::string_view project_id,
                                          std::string_view id,
                                          const InTransaction& dequeue) {
  return database_.write([&](Session& session) -> Result<BulkJob> {
    const BulkJob job = TRY(findIn(session, project_id, id));
    if (isFinished(job.state)) return job;
    TRY(session.execute("UPDATE bulk_jobs SET cancel_requested = 1, updated_at = ? WHERE id = ?",
                        {clock_.now(), id}));
    if (job.state == BulkState::kQueued) {
      TRY(endIn(session, id, BulkState::kCancelled, std::nullopt, clock_.now()));
      TRY(dequeue(session, job.id));
    }
    return findIn(session, project_id, id);
  });
}

Result<void> BulkJobRepository::start(std::string_view id) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute(
        "UPDATE bulk_jobs SET state = ?, updated_at = ? WHERE id = ? AND finished_at IS NULL",
        {textOf(BulkState::kRunning), clock_.now(), id}));
    return {};
  });
}

Result<void> BulkJobRepository::clearBatches(std::string_view id) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM bulk_job_batches WHERE job_id = ?", {id}));
    return {};
  });
}

Result<void> BulkJobRepository::addBatches(std::string_view id,
                                           const std::vector<BulkBatch>& batches) {
  return database_.write([&](Session& session) -> Result<void> {
    for (const BulkBatch& batch : batches) {
      TRY(
          session.execute("INSERT INTO bulk_job_batches (job_id, number, call_ids, done, result) "
                          "VALUES (?, ?, ?, 0, '')",
                          {id, batch.number, textListJson(batch.call_ids)}));
    }
    return {};
  });
}

Result<void> BulkJobRepository::setTotal(std::string_view id, std::int64_t total) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute("UPDATE bulk_jobs SET total = ?, updated_at = ? WHERE id = ?",
                        {total, clock_.now(), id}));
    return {};
  });
}

Result<std::optional<BulkBatch>> BulkJobRepository::nextBatch(std::string_view id) {
  return database_.read([&](Session& session) -> Result<std::optional<BulkBatch>> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT number, call_ids FROM bulk_job_batches WHERE job_id = ? AND done = 0 "
        "ORDER BY number LIMIT 1",
        {id}));
    if (!row) return std::optional<BulkBatch>();
    return std::optional<BulkBatch>({row->integer("number"), parseTextList(row->text("call_ids"))});
  });
}

Result<void> BulkJobRepository::completeBatch(std::string_view id,
                                              const BulkBatch& batch,
                                              std::int64_t failed,
                                              std::string_view result) {
  return database_.write([&](Session& session) -> Result<void> {
    const std::int64_t changed =
        TRY(session.execute("UPDATE bulk_job_batches SET done = 1, call_ids = '[]', result = ? "
                            "WHERE job_id = ? AND number = ? AND done = 0",
                            {result, id, batch.number}));
    if (changed == 0) return {};
    TRY(
        session.execute("UPDATE bulk_jobs SET done = done + ?, failed = failed + ?, "
                        "updated_at = ? WHERE id = ?",
                        {batch.call_ids.size(), failed, clock_.now(), id}));
    return {};
  });
}

Result<std::vector<std::string>> BulkJobRepository::results(std::string_view id) {
  return database_.read([&](Session& session) -> Result<std::vector<std::string>> {
    return collectRows(
        session.query("SELECT result FROM bulk_job_batches WHERE job_id = ? ORDER BY number", {id}),
        [](const Row& row) { return row.text("result"); });
  });
}

Result<void> BulkJobRepository::setNote(std::string_view id, std::string_view note) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute("UPDATE bulk_jobs SET note = ?, updated_at = ? WHERE id = ?",
                        {note, clock_.now(), id}));
    return {};
  });
}

Result<void> BulkJobRepository::finish(std::string_view id,
                                       BulkState state,
                                       std::optional<std::string_view> error) {
  return database_.write(
      [&](Session& session) { return endIn(session, id, state, error, clock_.now()); });
}

Result<std::int64_t> BulkJobRepository::removeFinished(Timestamp before) {
  return database_.write([&](Session& session) {
    return session.execute("DELETE FROM bulk_jobs WHERE finished_at < ?", {before});
  });
}

}  // namespace spindle::tracing
