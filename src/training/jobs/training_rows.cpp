#include "training/jobs/training_rows.h"

#include <utility>

#include "base/crypto/id.h"
#include "storage/database/columns.h"
#include "training/data/flat_json.h"
#include "training/jobs/job_resources.h"

namespace spindle::training {
namespace {

using storage::Columns, storage::Params, storage::Row, storage::Session;

using registry::Place;

JobStatus storedStatus(std::string_view text) {
  return jobStatusOf(text).value_or(JobStatus::kFailed);
}

const Columns<Job>& jobColumns() {
  static const Columns<Job> columns{{"id", &Job::id},
                                    {"project_id", &Job::place, &Place::project_id},
                                    {"model_id", &Job::model_id},
                                    {"model", &Job::model},
                                    {"base_model", &Job::base_model},
                                    {"run_id", &Job::run_id},
                                    {"kind", &Job::kind, jobKindOf, textOf},
                                    {"status", &Job::status, storedStatus, textOf},
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
                                    {"tries", &Job::tries},
                                    {"estimated_end", &Job::estimated_end},
                                    {"training_start", &Job::training_start},
                                    {"training_end", &Job::training_end},
                                    {"created_at", &Job::created_at},
                                    {"updated_at", &Job::updated_at},
                                    {"creator_id", &Job::creator, &registry::Actor::user_id},
                                    {"creator", &Job::creator, &registry::Actor::username}};
  return columns;
}

/// The columns that have a value if the trainer of the job has saved its state.
const Columns<SavedState>& stateColumns() {
  static const Columns<SavedState> columns{{"state_blob", &SavedState::blob},
                                           {"state_sequence", &SavedState::sequence},
                                           {"state_size", &SavedState::size}};
  return columns;
}

Job jobAt(const Row& row) {
  Job job = jobColumns().read(row);
  job.position = row.integer("position");
  job.resources = resourcesOf(row.text("resources"));
  if (!row.isNull("state_blob")) job.state = stateColumns().read(row);
  return job;
}

/// Selects columns of `table AS alias` with its project and team, and reads each row with `read`.
template <class Read>
auto selectPlaced(Session& session,
                  const SqlText& columns,
                  SqlName table,
                  SqlName alias,
                  SqlView tail,
                  const Params& params,
                  const Read& read) -> Result<std::vector<decltype(read(std::declval<Row>()))>> {
  return collectRows(
      session.query("SELECT " + columns + ", p.team_id, p.name AS project, t.name AS entity FROM " +
                        table + " " + alias + " JOIN published_projects p ON p.id = " + alias +
                        ".project_id JOIN published_teams t ON t.id = p.team_id " + tail,
                    params),
      [&read](const Row& row) {
        auto record = read(row);
        record.place.team_id = row.text("team_id");
        record.place.entity = row.text("entity");
        record.place.project = row.text("project");
        return record;
      });
}

/// Returns the event data that automation templates can use.
std::string automationData(const Job& job, const JobEnd& end) {
  schema::MapOf<FlatValue> data = {{"entity_name", job.place.entity},
                                   {"project_name", job.place.project},
                                   {"training_job_id", job.id},
                                   {"training_job_kind", std::string(textOf(job.kind))},
                                   {"training_job_status", std::string(textOf(end.status))},
                                   {"model_id", job.model_id},
                                   {"model_name", job.model},
                                   {"base_model", job.base_model}};
  if (job.run_id) data.emplace_back("run_id", *job.run_id);
  if (end.step) data.emplace_back("step", *end.step);
  if (end.version) {
    data.emplace_back("artifact_collection_name", job.model);
    data.emplace_back("artifact_version_index", end.version->index);
  }
  if (!end.error_message.empty()) data.emplace_back("error_message", end.error_message);
  return flatJson(data);
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

const Columns<Model>& modelColumns() {
  static const Columns<Model> columns{{"id", &Model::id},
                                      {"project_id", &Model::place, &Place::project_id},
                                      {"name", &Model::name},
                                      {"base_model", &Model::base_model},
                                      {"run_id", &Model::run_id},
                                      {"step", &Model::step},
                                      {"creator_id", &Model::creator, &registry::Actor::user_id},
                                      {"creator", &Model::creator, &registry::Actor::username},
                                      {"created_at", &Model::created_at}};
  return columns;
}

const Columns<Checkpoint>& checkpointColumns() {
  static const Columns<Checkpoint> columns{{"id", &Checkpoint::id},
                                           {"step", &Checkpoint::step},
                                           {"version_id", &Checkpoint::version_id},
                                           {"metrics", &Checkpoint::metrics}};
  return columns;
}

const Columns<JobEvent>& eventColumns() {
  static const Columns<JobEvent> columns{{"id", &JobEvent::id},
                                         {"sequence", &JobEvent::sequence},
                                         {"type", &JobEvent::type, eventTypeOf, textOf},
                                         {"data", &JobEvent::data}};
  return columns;
}

Result<std::vector<Model>> selectModels(Session& session, SqlView tail, const Params& params) {
  return selectPlaced(session, modelColumns().list("m"), "training_models", "m", tail, params,
                      [](const Row& row) { return modelColumns().read(row); });
}

Result<Model> requireModel(Session& session, std::string_view id) {
  return firstOf(selectModels(session, "WHERE m.id = ?", {id}), "Model not found");
}

Result<std::vector<Job>> selectJobs(Session& session, SqlView tail, const Params& params) {
  const SqlText columns =
      "j.position, " + jobColumns().list("j") + ", j.resources, " + stateColumns().list("j");
  return selectPlaced(session, columns, "training_jobs", "j", tail, params, jobAt);
}

Result<Job> requireJob(Session& session, std::string_view id) {
  return firstOf(selectJobs(session, "WHERE j.id = ?", {id}), "Training job not found");
}

Result<void> insertJob(Session& session, Job& job) {
  const std::optional<Row> added = TRY(session.queryOne(
      jobColumns().insertInto("training_jobs", {"resources"}) + " RETURNING position",
      jobColumns().valuesOf(job, {resourcesText(job.resources)})));
  job.position = added->integer("position");
  return {};
}

Result<void> insertCheckpoint(Session& session,
                              std::string_view model_id,
                              const Checkpoint& checkpoint,
                              Timestamp now) {
  TRY(session.execute(
      checkpointColumns().insertInto("training_checkpoints", {"model_id", "created_at"}),
      checkpointColumns().valuesOf(checkpoint, {model_id, now})));
  return {};
}

Result<void> appendEvent(Session& session, Job& job, const ReportedEvent& reported, Timestamp now) {
  job.last_sequence += 1;
  const JobEvent event{newUuid(now), job.last_sequence, reported.type, reported.data};
  TRY(session.execute(eventColumns().insertInto("training_events", {"job_id", "created_at"}),
                      eventColumns().valuesOf(event, {job.id, now})));
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
  if (!well) reported.data = flatJson({{"error_message", end.error_message}});
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
