#include "training/jobs/job_repository.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/crypto/id.h"
#include "events/outbox.h"
#include "jobs/job_queue.h"
#include "live/change_log.h"
#include "storage/database/database.h"
#include "training/jobs/job_resources.h"
#include "training/jobs/training_rows.h"

namespace spindle::training {
namespace {

using storage::Params, storage::Row, storage::Rows, storage::Session;

Error sequenceGap(std::int64_t last) {
  return Error::conflict("Events before these are missing.")
      .because("sequence_gap")
      .with("last_sequence", std::to_string(last));
}

const storage::Columns<UploadedFile>& fileColumns() {
  static const storage::Columns<UploadedFile> columns{{"name", &UploadedFile::name},
                                                      {"blob", &UploadedFile::blob},
                                                      {"md5", &UploadedFile::md5},
                                                      {"size_bytes", &UploadedFile::size}};
  return columns;
}

/// Returns up to `limit` events of a job after a sequence number, oldest first.
Result<std::vector<JobEvent>> eventsAfter(Session& session,
                                          std::string_view job_id,
                                          std::int64_t sequence,
                                          SqlView condition,
                                          std::int64_t limit) {
  const Rows rows =
      TRY(session.query("SELECT " + eventColumns().list() +
                            " FROM training_events WHERE job_id = ? AND sequence > ? " + condition +
                            " ORDER BY sequence LIMIT ?",
                        {job_id, sequence, limit}));
  return eventColumns().readAll(rows);
}

/// Applies a trainer's event to its job.
void applyEvent(Job& job, const ReportedEvent& reported, Timestamp now) {
  job.updated_at = now;
  if (reported.type != EventType::kTrainingStarted) return;
  job.status = JobStatus::kRunning;
  job.training_start = now;
  job.steps_expected = reported.num_sequences;
  job.note = reported.note;
}

/// Returns the estimated end, assuming that the remaining steps take as long as the previous ones.
std::optional<Timestamp> expectedEnd(const Job& job, Timestamp now) {
  const std::int64_t steps = job.last_sequence - 1;
  if (steps <= 0 || !job.training_start || !job.steps_expected) return job.estimated_end;
  const std::int64_t left = std::max<std::int64_t>(*job.steps_expected - steps, 0);
  return now + (now - *job.training_start) / steps * left;
}

/// Returns the existing job for the same data URL, if any.
Result<std::vector<Job>> existingJobs(Session& session,
                                      std::string_view model_id,
                                      const std::string& data_url) {
  if (data_url.empty()) return std::vector<Job>();
  return selectJobs(
      session,
      "WHERE j.model_id = ? AND j.data_url = ? AND j.kind = 'sft' AND j.status NOT IN ('FAILED', "
      "'CANCELLED') ORDER BY j.position DESC LIMIT 1",
      {model_id, data_url});
}

}  // namespace

/// Publishes the change of a job.
Result<Job> JobRepository::announced(Result<Job> job) {
  if (job && changes_ != nullptr) {
    changes_->publish(live::Topic::kJobs, job->place.project_id, 1, clock_.now());
  }
  return job;
}

Result<Job> JobRepository::insert(std::string_view model_id,
                                  const registry::Actor& actor,
                                  const NewJob& fresh) {
  const Timestamp now = clock_.now();
  const std::string id = newUuid(now);
  return announced(database_.write([&](Session& session) -> Result<Job> {
    const Model model = TRY(requireModel(session, model_id));
    if (fresh.deduplicate) {
      std::vector<Job> known = TRY(existingJobs(session, model_id, fresh.data.url));
      if (!known.empty()) return std::move(known.front());
    }
    Job job;
    job.id = id;
    job.place = model.place;
    job.model_id = model.id;
    job.model = model.name;
    job.base_model = model.base_model;
    job.run_id = model.run_id;
    job.kind = fresh.kind;
    job.config = fresh.config;
    job.resources = fresh.resources;
    job.data = fresh.data;
    job.creator = actor;
    job.created_at = job.updated_at = now;
    TRY(insertJob(session, job));
    TRY(queue_.enqueue(session, {.kind = std::string(kQueueKind),
                                 .payload = demandText({.kind = job.kind,
                                                        .team_id = job.place.team_id,
                                                        .base_model = job.base_model,
                                                        .resources = job.resources}),
                                 .queue_key = job.model_id,
                                 .id = job.id}));
    return job;
  }));
}

Result<std::optional<Job>> JobRepository::findExisting(std::string_view model_id,
                                                       const std::string& data_url) {
  return database_.read([&](Session& session) -> Result<std::optional<Job>> {
    std::vector<Job> known = TRY(existingJobs(session, model_id, data_url));
    if (known.empty()) return std::optional<Job>();
    return std::optional<Job>(std::move(known.front()));
  });
}

Result<Job> JobRepository::find(std::string_view id) {
  return database_.read([&](Session& session) { return requireJob(session, id); });
}

Result<identity::Page<Job>> JobRepository::list(const JobFilter& filter,
                                                const identity::PageRequest& page) {
  SqlText tail("WHERE 1 = 1");
  Params params;
  const auto where = [&](SqlView condition, storage::Value value) {
    tail += " AND " + SqlText(condition);
    params.push_back(std::move(value));
  };
  if (filter.project_id) where("j.project_id = ?", *filter.project_id);
  if (filter.model_id) where("j.model_id = ?", *filter.model_id);
  if (filter.status) where("j.status = ?", textOf(*filter.status));
  if (!page.after.empty()) {
    std::int64_t position = 0;
    std::from_chars(page.after.data(), page.after.data() + page.after.size(), position);
    where("j.position < ?", position);
  }
  tail += " ORDER BY j.position DESC LIMIT ?";
  params.emplace_back(page.limit + 1);
  std::vector<Job> found =
      TRY(database_.read([&](Session& session) { return selectJobs(session, tail, params); }));
  return identity::pageOf(std::move(found), page.limit,
                          [](const Job& job) { return std::to_string(job.position); });
}

Result<std::vector<Job>> JobRepository::withArtifactData(std::string_view team_id, int limit) {
  return database_.read([&](Session& session) {
    return selectJobs(session,
                      "WHERE j.data_team = ? AND j.data_digest <> '' "
                      "ORDER BY j.position DESC LIMIT ?",
                      {team_id, limit});
  });
}

Result<JobRepository::Waiting> JobRepository::waiting() {
  return database_.read([&](Session& session) -> Result<Waiting> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT COUNT(*) AS jobs, MIN(created_at) AS since FROM training_jobs WHERE status = "
        "'PENDING'"));
    return Waiting{row->integer("jobs"), row->optionalTime("since")};
  });
}

Result<std::vector<QueuedJob>> JobRepository::queued() {
  const std::vector<jobs::Job> open = TRY(queue_.open(kQueueKind, kMostQueued));
  std::vector<QueuedJob> queued;
  queued.reserve(open.size());
  std::int64_t waiting = 0;
  for (const jobs::Job& job : open) {
    QueuedJob& one = queued.emplace_back(QueuedJob{.id = job.id, .updated_at = job.updated_at});
    if (job.state == jobs::JobState::kRunning) {
      one.trainer = job.worker;
    } else {
      one.position = ++waiting;
    }
  }
  return queued;
}

Result<ListPart<JobEvent>> JobRepository::events(std::string_view id, const ListRequest& request) {
  return database_.read([&](Session& session) -> Result<ListPart<JobEvent>> {
    std::int64_t behind = 0;
    if (!request.after.empty()) {
      const std::optional<Row> last = TRY(session.queryOne(
          "SELECT sequence FROM training_events WHERE job_id = ? AND id = ?", {id, request.after}));
      if (!last) return Error::notFound("There is no event with the id given as after");
      behind = last->integer("sequence");
    }
    std::vector<JobEvent> events = TRY(eventsAfter(session, id, behind, {}, request.limit + 1));
    return listPart(std::move(events), request.limit);
  });
}

Result<std::vector<JobEvent>> JobRepository::stepsAfter(std::string_view id,
                                                        std::int64_t sequence,
                                                        std::int64_t limit) {
  return database_.read([&](Session& session) {
    return eventsAfter(session, id, sequence, "AND type = 'gradient_step'", limit);
  });
}

/// Returns the job if the trainer holds its lease.
Result<Job> JobRepository::requireLeased(Session& session, const JobLease& lease) {
  Job job = TRY(requireJob(session, lease.id));
  if (job.status == JobStatus::kCancelled) {
    return Error::conflict("The job was cancelled.").because("job_cancelled");
  }
  TRY(jobs::JobQueue::requireLease(session, lease.id, lease.token));
  return job;
}

Result<Job> JobRepository::countTry(std::string_view id) {
  return announced(database_.write([&](Session& session) -> Result<Job> {
    TRY(session.execute("UPDATE training_jobs SET tries = tries + 1 WHERE id = ?", {id}));
    return requireJob(session, id);
  }));
}

Result<void> JobRepository::uncountTry(const JobLease& lease) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(requireLeased(session, lease));
    TRY(session.execute("UPDATE training_jobs SET tries = tries - 1 WHERE id = ? AND tries > 0",
                        {lease.id}));
    return {};
  });
}

Result<Job> JobRepository::appendEvents(const JobLease& lease,
                                        std::int64_t first,
                                        const std::vector<ReportedEvent>& reported) {
  const Timestamp now = clock_.now();
  return announced(database_.write([&](Session& session) -> Result<Job> {
    Job job = TRY(requireLeased(session, lease));
    if (first > job.last_sequence + 1) return sequenceGap(job.last_sequence);
    const std::int64_t known = job.last_sequence;
    for (std::size_t i = 0; i < reported.size(); ++i) {
      if (first + static_cast<std::int64_t>(i) <= known) continue;
      applyEvent(job, reported[i], now);
      TRY(appendEvent(session, job, reported[i], now));
    }
    if (job.last_sequence == known) return job;
    job.estimated_end = expectedEnd(job, now);
    TRY(session.execute(
        "UPDATE training_jobs SET status = ?, last_sequence = ?, steps_expected = ?, note = ?, "
        "training_start = ?, estimated_end = ?, updated_at = ? WHERE id = ?",
        {textOf(job.status), job.last_sequence, job.steps_expected, job.note, job.training_start,
         job.estimated_end, now, job.id}));
    return job;
  }));
}

Result<Job> JobRepository::estimate(const JobLease& lease, std::optional<double> seconds_left) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<Job> {
    Result<Job> job = requireLeased(session, lease);
    if (!job || !seconds_left) return job;
    job->estimated_end =
        now + std::chrono::duration_cast<std::chrono::microseconds>(
                  std::chrono::duration<double>(std::clamp(*seconds_left, 0.0, 1e9)));
    TRY(session.execute("UPDATE training_jobs SET estimated_end = ? WHERE id = ?",
                        {job->estimated_end, job->id}));
    return job;
  });
}

Result<void> JobRepository::saveState(const JobLease& lease, const SavedState& state) {
  return database_.write([&](Session& session) -> Result<void> {
    const Job job = TRY(requireLeased(session, lease));
    if (state.sequence > job.last_sequence) return sequenceGap(job.last_sequence);
    const bool further = !job.state || state.sequence > job.state->sequence;
    TRY(session.execute(
        "UPDATE training_jobs SET state_blob = ?, state_sequence = ?, state_size = ?, tries = ? "
        "WHERE id = ?",
        {state.blob, state.sequence, state.size, further ? 1 : job.tries, job.id}));
    return {};
  });
}

Result<void> JobRepository::saveFile(const JobLease& lease, const UploadedFile& file) {
  return database_.write([&](Session& session) -> Result<void> {
    const Job job = TRY(requireLeased(session, lease));
    TRY(session.execute(
        fileColumns().insertInto("training_files", {"job_id"}) +
            " ON CONFLICT (job_id, name) DO UPDATE SET blob = excluded.blob, md5 = excluded.md5, "
            "size_bytes = excluded.size_bytes",
        fileColumns().valuesOf(file, {job.id})));
    return {};
  });
}

Result<std::vector<UploadedFile>> JobRepository::files(const JobLease& lease) {
  return database_.read([&](Session& session) -> Result<std::vector<UploadedFile>> {
    const Job job = TRY(requireLeased(session, lease));
    const Rows rows = TRY(session.query(
        "SELECT " + fileColumns().list() + " FROM training_files WHERE job_id = ? ORDER BY name",
        {job.id}));
    return fileColumns().readAll(rows);
  });
}

Result<Job> JobRepository::complete(const JobLease& lease,
                                    const Checkpoint& checkpoint,
                                    std::int64_t version_index) {
  const Timestamp now = clock_.now();
  return announced(outbox_.write([&](Session& session) -> Result<Job> {
    Job job = TRY(requireLeased(session, lease));
    TRY(insertCheckpoint(session, job.model_id, checkpoint, now));
    TRY(session.execute("UPDATE training_models SET step = ? WHERE id = ? AND step < ?",
                        {checkpoint.step, job.model_id, checkpoint.step}));
    const JobEnd end{
        JobStatus::kCompleted, {}, checkpoint.step, {{checkpoint.version_id, version_index}}};
    TRY(endJob(session, {outbox_, queue_}, job, end, now));
    return job;
  }));
}

Result<Job> JobRepository::fail(const JobLease& lease, const std::string& message) {
  const Timestamp now = clock_.now();
  return announced(outbox_.write([&](Session& session) -> Result<Job> {
    Job job = TRY(requireLeased(session, lease));
    const JobEnd end{JobStatus::kFailed, message, {}};
    TRY(endJob(session, {outbox_, queue_}, job, end, now));
    return job;
  }));
}

Result<Job> JobRepository::end(std::string_view id, JobStatus status, const std::string& message) {
  const Timestamp now = clock_.now();
  return announced(outbox_.write([&](Session& session) -> Result<Job> {
    Result<Job> job = requireJob(session, id);
    if (!job || !isOpen(job->status)) return job;
    const JobEnd how{status, message, {}};
    TRY(endJob(session, {outbox_, queue_}, *job, how, now));
    return job;
  }));
}

}  // namespace spindle::training
