#include "training/jobs/model_repository.h"

#include <utility>

#include "base/crypto/id.h"
#include "events/outbox.h"
#include "identity/audit/audit_trail.h"
#include "jobs/job_queue.h"
#include "storage/database/database.h"
#include "training/jobs/training_rows.h"

namespace spindle::training {
namespace {

using storage::Row, storage::Rows, storage::Session;

/// Selects checkpoints whose artifact version still exists: artifacts can also be deleted
/// separately.
SqlText selectCheckpoints() {
  return "SELECT " + checkpointColumns().list("c") +
         " FROM training_checkpoints c JOIN published_artifact_versions v ON v.id = c.version_id "
         "WHERE c.model_id = ? ";
}

Result<ModelSummary> summaryOf(Session& session, Model model) {
  ModelSummary summary;
  const std::optional<Row> count = TRY(session.queryOne(
      "SELECT COUNT(*) AS checkpoints FROM training_checkpoints c JOIN published_artifact_versions "
      "v ON v.id = c.version_id WHERE c.model_id = ?",
      {model.id}));
  summary.checkpoints = count->integer("checkpoints");
  const std::optional<Row> newest =
      TRY(session.queryOne(selectCheckpoints() + "ORDER BY c.step DESC LIMIT 1", {model.id}));
  if (newest) summary.newest = checkpointColumns().read(*newest);
  std::vector<Job> jobs =
      TRY(selectJobs(session, "WHERE j.model_id = ? ORDER BY j.position DESC LIMIT 1", {model.id}));
  if (!jobs.empty()) summary.last_job = std::move(jobs.front());
  summary.model = std::move(model);
  return summary;
}

/// Maximum number of names that trainedFrom() returns.
constexpr std::int64_t kModelsNamed = 5;

constexpr std::string_view kModelDeleted = "The model was deleted.";

}  // namespace

Result<void> ModelRepository::insert(const Model& model, const Checkpoint& identity) {
  return database_.write([&](Session& session) -> Result<void> {
    const std::int64_t added = TRY(
        session.execute(modelColumns().insertInto("training_models") + " ON CONFLICT DO NOTHING",
                        modelColumns().valuesOf(model)));
    if (added == 0) return Error::conflict("A model of this name is there already.");
    return insertCheckpoint(session, model.id, identity, model.created_at);
  });
}

Result<Model> ModelRepository::find(std::string_view id) {
  return database_.read([&](Session& session) { return requireModel(session, id); });
}

Result<Model> ModelRepository::findByName(std::string_view project_id, std::string_view name) {
  return database_.read([&](Session& session) {
    return firstOf(
        selectModels(session, "WHERE m.project_id = ? AND m.name = ?", {project_id, name}),
        "Model not found");
  });
}

Result<ListPart<ModelSummary>> ModelRepository::list(const ModelFilter& filter,
                                                     const std::optional<ModelPosition>& after,
                                                     std::int64_t limit) {
  SqlText tail("WHERE 1 = 1");
  storage::Params params;
  const auto where = [&](SqlView condition, storage::Value value) {
    tail += " AND " + SqlText(condition);
    params.push_back(std::move(value));
  };
  if (filter.team_id) where("p.team_id = ?", *filter.team_id);
  if (filter.project_id) where("m.project_id = ?", *filter.project_id);
  if (filter.name) where("m.name = ?", *filter.name);
  if (after) {
    where("(m.created_at, m.id) < (?, ?)", after->created_at);
    params.emplace_back(after->id);
  }
  tail += " ORDER BY m.created_at DESC, m.id DESC LIMIT ?";
  params.emplace_back(limit + 1);
  return database_.read([&](Session& session) -> Result<ListPart<ModelSummary>> {
    std::vector<Model> found = TRY(selectModels(session, tail, params));
    ListPart<Model> part = listPart(std::move(found), limit);
    ListPart<ModelSummary> summaries{{}, part.has_more};
    for (Model& model : part.items) {
      ModelSummary summary = TRY(summaryOf(session, std::move(model)));
      summaries.items.push_back(std::move(summary));
    }
    return summaries;
  });
}

Result<ModelSummary> ModelRepository::summary(std::string_view id) {
  return database_.read([&](Session& session) -> Result<ModelSummary> {
    Model model = TRY(requireModel(session, id));
    return summaryOf(session, std::move(model));
  });
}

Result<std::vector<std::string>> ModelRepository::trainedFrom(std::string_view base_model) {
  return database_.read([&](Session& session) -> Result<std::vector<std::string>> {
    const std::vector<Model> models =
        TRY(selectModels(session, "WHERE m.base_model = ? ORDER BY m.created_at, m.id LIMIT ?",
                         {base_model, kModelsNamed}));
    std::vector<std::string> names;
    names.reserve(models.size());
    for (const Model& model : models)
      names.push_back(model.place.entity + "/" + model.place.project + "/" + model.name);
    return names;
  });
}

Result<std::int64_t> ModelRepository::remove(std::string_view id) {
  const Timestamp now = clock_.now();
  return outbox_.write([&](Session& session) -> Result<std::int64_t> {
    const Model model = TRY(requireModel(session, id));
    std::vector<Job> open = TRY(selectJobs(
        session, "WHERE j.model_id = ? AND j.status IN ('PENDING', 'RUNNING') ORDER BY j.position",
        {id}));
    for (Job& job : open) {
      const JobEnd end{JobStatus::kCancelled, std::string(kModelDeleted), {}};
      TRY(endJob(session, {outbox_, queue_}, job, end, now));
    }
    std::int64_t checkpoints =
        TRY(session.execute("DELETE FROM training_checkpoints WHERE model_id = ?", {id}));
    std::int64_t removed = TRY(session.execute("DELETE FROM training_models WHERE id = ?", {id}));
    if (removed == 0) return Error::notFound("Model not found");
    TRY(identity::recordChange(session,
                               {.action = "trained_model.delete",
                                .target_id = id,
                                .target_name = model.name,
                                .project_id = model.place.project_id,
                                .details = {{"checkpoints", std::to_string(checkpoints)}}},
                               now));
    return checkpoints;
  });
}

Result<ListPart<Checkpoint>> ModelRepository::checkpoints(std::string_view model_id,
                                                          const ListRequest& request) {
  const SqlView direction = request.descending ? SqlView("DESC") : SqlView("ASC");
  const SqlView behind = request.descending ? SqlView("<") : SqlView(">");
  return database_.read([&](Session& session) -> Result<ListPart<Checkpoint>> {
    storage::Params params{model_id};
    SqlText condition;
    if (!request.after.empty()) {
      const std::optional<Row> last = TRY(
          session.queryOne("SELECT step FROM training_checkpoints WHERE model_id = ? AND id = ?",
                           {model_id, request.after}));
      if (!last) return Error::notFound("There is no checkpoint with the id given as after");
      condition += "AND c.step " + SqlText(behind) + " ?";
      params.emplace_back(last->integer("step"));
    }
    params.emplace_back(request.limit + 1);
    const Rows rows = TRY(session.query(
        selectCheckpoints() + condition + " ORDER BY step " + direction + " LIMIT ?", params));
    return listPart(checkpointColumns().readAll(rows), request.limit);
  });
}

Result<std::optional<Checkpoint>> ModelRepository::checkpoint(std::string_view model_id,
                                                              std::optional<std::int64_t> step) {
  return database_.read([&](Session& session) -> Result<std::optional<Checkpoint>> {
    const SqlView which =
        step ? SqlView("AND c.step = ?") : SqlView("ORDER BY c.step DESC LIMIT 1");
    storage::Params params{model_id};
    if (step) params.emplace_back(*step);
    const std::optional<Row> row = TRY(session.queryOne(selectCheckpoints() + which, params));
    if (!row) return std::optional<Checkpoint>();
    return std::optional(checkpointColumns().read(*row));
  });
}

Result<void> ModelRepository::removeCheckpoint(std::string_view id) {
  return database_.write([&](Session& session) -> Result<void> {
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT model_id, step FROM training_checkpoints WHERE id = ?", {id}));
    if (!row) return {};
    const Model model = TRY(requireModel(session, row->text("model_id")));
    TRY(session.execute("DELETE FROM training_checkpoints WHERE id = ?", {id}));
    return identity::recordChange(session,
                                  {.action = "checkpoint.delete",
                                   .target_id = id,
                                   .target_name = model.name,
                                   .project_id = model.place.project_id,
                                   .details = {{"step", std::to_string(row->integer("step"))}}},
                                  clock_.now());
  });
}

Result<void> ModelRepository::adopt(std::string_view model_id, const Checkpoint& checkpoint) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    const std::int64_t counted = TRY(session.execute(
        "UPDATE training_models SET step = ? WHERE id = ? AND step < ? AND NOT EXISTS (SELECT 1 "
        "FROM training_jobs WHERE model_id = ? AND status = 'RUNNING')",
        {checkpoint.step, model_id, checkpoint.step, model_id}));
    if (counted == 0) return {};
    return insertCheckpoint(session, model_id, checkpoint, now);
  });
}

Result<void> ModelRepository::insertLog(std::string_view model_id,
                                        const LoggedGroups& logged,
                                        std::string_view checkpoint_metrics) {
  const Timestamp now = clock_.now();
  const std::string id = newUuid(now);
  return database_.write([&](Session& session) -> Result<void> {
    TRY(requireModel(session, model_id));
    TRY(session.execute(
        "INSERT INTO training_logs (id, model_id, split, step, blob, size_bytes, metrics, "
        "created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        {id, model_id, logged.split, logged.step, logged.blob, logged.size, logged.metrics, now}));
    TRY(session.execute(
        "UPDATE training_checkpoints SET metrics = ? WHERE model_id = ? AND step = ?",
        {checkpoint_metrics, model_id, logged.step}));
    return {};
  });
}

}  // namespace spindle::training
