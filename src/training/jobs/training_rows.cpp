#include "training/jobs/training_rows.h"

#include <utility>

#include "base/crypto/id.h"
#include "events/outbox.h"
#include "jobs/job_queue.h"
#include "json/writer.h"
#include "storage/database/columns.h"

namespace spindle::training {
namespace {

using storage::Params, storage::Row, storage::Rows, storage::Session;

constexpr SqlView kSelectModels =
    "SELECT m.id, m.project_id, m.name, m.base_model, m.run_id, m.step, m.creator_id, m.creator, "
    "m.created_at, p.team_id, p.name AS project, t.name AS entity FROM training_models m JOIN "
    "published_projects p ON p.id = m.project_id JOIN published_teams t ON t.id = p.team_id ";
constexpr SqlView kSelectJobs =
    "SELECT j.*, p.team_id, p.name AS project, t.name AS entity FROM training_jobs j JOIN "
    "published_projects p ON p.id = j.project_id JOIN published_teams t ON t.id = p.team_id ";

const storage::Columns<registry::Place>& placeColumns() {
  static const storage::Columns<registry::Place> columns{
      {"team_id", &registry::Place::team_id},
      {"project_id", &registry::Place::project_id},
      {"entity", &registry::Place::entity},
      {"project", &registry::Place::project}};
  return columns;
}

const storage::Columns<Model>& modelColumns() {
  static const storage::Columns<Model> columns{
      {"id", &Model::id},
      {"name", &Model::name},
      {"base_model", &Model::base_model},
      {"run_id", &Model::run_id},
      {"step", &Model::step},
      {"creator_id", &Model::creator, &registry::Actor::user_id},
      {"creator", &Model::creator, &registry::Actor::username},
      {"created_at", &Model::created_at}};
  return columns;
}

Model modelAt(const Row& row) {
  Model model = modelColumns().read(row);
  model.place = placeColumns().read(row);
  return model;
}

const storage::Columns<Job>& jobColumns() {
  static const storage::Columns<Job> columns{
      {"position", &Job::position},
      {"id", &Job::id},
      {"model_id", &Job::model_id},
      {"model", &Job::model},
      {"base_model", &Job::base_model},
      {"run_id", &Job::run_id},
      {"kind", &Job::kind, jobKindOf, textOf},
      {"error_message", &Job::error_message},
      {"note", &Job::note},
      {"config", &Job::config},
      {"data_url", &Job::data, &JobData::url},
      {"data_blob", &Job::data, &JobData::blob},
      {"data_team", &Job::data, &JobData::team_id},
      {"data_digest", &Job::data, &JobData::digest},
      {"data_size", &Job::data, &JobData::size},
      {"data_count", &Job::data, &JobData::count},
      {"steps_expected", &Job::steps_expected},
      {"last_sequence", &Job::last_sequence},
      {"step", &Job::step},
      {"estimated_end", &Job::estimated_end},
      {"training_start", &Job::training_start},
      {"training_end", &Job::training_end},
      {"created_at", &Job::created_at},
      {"updated_at", &Job::updated_at},
      {"creator_id", &Job::creator, &registry::Actor::user_id},
      {"creator", &Job::creator, &registry::Actor::username}};
  return columns;
}

Job jobAt(const Row& row) {
  Job job = jobColumns().read(row);
  job.place = placeColumns().read(row);
  job.status = jobStatusOf(row.text("status")).value_or(JobStatus::kFailed);
  if (!row.isNull("state_blob")) {
    job.state = SavedState{row.text("state_blob"), row.integer("state_sequence"),
                           row.integer("state_size")};
  }
  job.tries = row.integer("tries");
  return job;
}

std::string failureJson(const std::string& message) {
  std::string text;
  json::Writer(text).beginObject().key("error_message").string(message).endObject();
  return text;
}

/// Returns the event data that automation templates can use.
std::string automationData(const Job& job, const JobEnd& end) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("entity_name").string(job.place.entity);
  out.key("project_name").string(job.place.project);
  out.key("training_job_id").string(job.id).key("training_job_kind").string(textOf(job.kind));
  out.key("training_job_status").string(textOf(end.status));
  out.key("model_id").string(job.model_id).key("model_name").string(job.model);
  out.key("base_model").string(job.base_model);
  if (job.run_id) out.key("run_id").string(*job.run_id);
  if (end.step) out.key("step").integer(*end.step);
  if (end.version) {
    out.key("artifact_collection_name").string(job.model);
    out.key("artifact_version_index").integer(end.version->index);
  }
  if (!end.error_message.empty()) out.key("error_message").string(end.error_message);
  out.endObject();
  return text;
}

Result<void> publishAutomationEvent(Session& session,
                                    const events::Outbox& outbox,
                                    const Job& job,
                                    const JobEnd& end) {
  using Type = events::EventType;
  events::NewEvent event;
  event.type = end.status == JobStatus::kCompleted   ? Type::kTrainingJobFinished
               : end.status == JobStatus::kCancelled ? Type::kTrainingJobCancelled
                                                     : Type::kTrainingJobFailed;
  event.subject.team_id = job.place.team_id;
  event.subject.project_id = job.place.project_id;
  event.subject.run_id = job.run_id.value_or("");
  if (end.version) event.subject.artifact_id = end.version->id;
  event.author_id = job.creator.user_id;
  event.author = job.creator.username;
  event.data = automationData(job, end);
  TRY(outbox.append(session, event));
  return {};
}

}  // namespace

Result<std::vector<Model>> selectModels(Session& session, SqlView tail, const Params& params) {
  const Rows rows = TRY(session.query(kSelectModels + tail, params));
  std::vector<Model> models;
  for (const Row& row : rows) models.push_back(modelAt(row));
  return models;
}

Result<Model> requireModel(Session& session, std::string_view id) {
  std::vector<Model> models = TRY(selectModels(session, "WHERE m.id = ?", {id}));
  if (models.empty()) return Error::notFound("Model not found");
  return std::move(models.front());
}

Result<std::vector<Job>> selectJobs(Session& session, SqlView tail, const Params& params) {
  const Rows rows = TRY(session.query(kSelectJobs + tail, params));
  std::vector<Job> found;
  for (const Row& row : rows) found.push_back(jobAt(row));
  return found;
}

Result<Job> requireJob(Session& session, std::string_view id) {
  std::vector<Job> found = TRY(selectJobs(session, "WHERE j.id = ?", {id}));
  if (found.empty()) return Error::notFound("Training job not found");
  return std::move(found.front());
}

Checkpoint checkpointAt(const Row& row) {
  return {row.text("id"), row.integer("step"), row.integer("version_id"), row.text("metrics")};
}

Result<void> appendEvent(Session& session, Job& job, const ReportedEvent& reported, Timestamp now) {
  job.last_sequence += 1;
  TRY(session.execute(
      "INSERT INTO training_events (job_id, sequence, id, type, data, created_at) VALUES "
      "(?, ?, ?, ?, ?, ?)",
      {job.id, job.last_sequence, newUuid(now), textOf(reported.type), reported.data, now}));
  return {};
}

Result<void> endJob(Session& session,
                    const EndJobDependencies& dependencies,
                    Job& job,
                    const JobEnd& end,
                    Timestamp now) {
  const bool well = end.status == JobStatus::kCompleted;
  ReportedEvent reported;
  reported.type = well ? EventType::kTrainingEnded : EventType::kTrainingFailed;
  if (!well) reported.data = failureJson(end.error_message);
  TRY(appendEvent(session, job, reported, now));
  job.status = end.status;
  job.training_end = job.updated_at = now;
  job.step = end.step;
  if (!well) job.error_message = end.error_message;
  TRY(session.execute(
      "UPDATE training_jobs SET status = ?, error_message = ?, step = ?, last_sequence = ?, "
      "training_end = ?, updated_at = ?, estimated_end = NULL, data_blob = NULL, state_blob = "
      "NULL, state_sequence = NULL, state_size = NULL WHERE id = ?",
      {textOf(job.status), job.error_message, job.step, job.last_sequence, now, now, job.id}));
  TRY(session.execute("DELETE FROM training_files WHERE job_id = ?", {job.id}));
  TRY(publishAutomationEvent(session, dependencies.outbox, job, end));
  const jobs::JobState state = well                                  ? jobs::JobState::kSucceeded
                               : end.status == JobStatus::kCancelled ? jobs::JobState::kCancelled
                                                                     : jobs::JobState::kFailed;
  return dependencies.queue.end(session, job.id, state, job.error_message);
}

}  // namespace spindle::training
