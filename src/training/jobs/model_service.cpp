#include "training/jobs/model_service.h"

#include <algorithm>
#include <utility>

#include "base/crypto/id.h"
#include "identity/access/access.h"
#include "identity/access/default_team.h"
#include "registry/repositories/collection_repository.h"
#include "training/data/group_summary.h"
#include "training/data/metrics.h"
#include "training/data/training_file_store.h"
#include "training/jobs/checkpoints.h"
#include "training/jobs/run_log.h"

namespace spindle::training {
namespace {

Error nameTaken() { return Error::conflict("A model of this name is there already."); }

}  // namespace

Result<Model> ModelService::create(const Caller& caller, const NewTrainedModel& new_model) {
  std::string entity = new_model.entity.value_or("");
  if (entity.empty()) {
    const Result<std::optional<std::string>> own =
        identity::defaultTeamOf(parts_.teams, parts_.access, caller.user_id, caller.username);
    if (!own) return own.error();
    if (!*own) return Error::invalidArgument("Say which entity the model is for.");
    entity = **own;
  }
  const Result<identity::ProjectAccess> access =
      parts_.access.writeProject(caller.user_id, entity, new_model.project);
  if (!access) return access.error();
  Result<Model> known = parts_.models.findByName(access->project_id, new_model.name);
  if (known) return new_model.return_existing ? std::move(known) : nameTaken();
  if (known.error().code() != ErrorCode::kNotFound) return known;
  registry::Place place;
  place.team_id = access->team_id;
  place.project_id = access->project_id;
  place.entity = entity;
  place.project = new_model.project;
  Result<Model> made = makeModel(place, caller, new_model);
  if (made || made.error().code() != ErrorCode::kConflict || !new_model.return_existing)
    return made;
  // Another request created the model first.
  known = parts_.models.findByName(access->project_id, new_model.name);
  return known ? known : made;
}

Result<Model> ModelService::makeModel(const registry::Place& place,
                                      const Caller& caller,
                                      const NewTrainedModel& new_model) {
  const std::optional<BaseModel> base = parts_.base_models(place.team_id, new_model.base_model);
  if (!base) {
    return Error::invalidArgument("The base model " + new_model.base_model + " is not supported.");
  }
  if (base->file.empty()) {
    return Error::invalidArgument("The base model " + new_model.base_model +
                                  " is served elsewhere and cannot be trained here.");
  }
  Model model;
  model.id = newUuid(parts_.clock.now());
  model.place = place;
  model.name = new_model.name;
  model.base_model = base->name;
  model.creator.user_id = caller.user_id;
  model.creator.username = caller.username;
  model.created_at = parts_.clock.now();
  const Result<registry::Version> identity = parts_.checkpoints.publishIdentity(model, *base);
  if (!identity) return identity.error();
  Result<std::string> run_id = parts_.run_log.create(model);
  if (!run_id) return std::move(run_id).error();
  model.run_id = *std::move(run_id);
  Checkpoint first;
  first.id = newUuid(parts_.clock.now());
  first.version_id = identity->id;
  const Result<void> inserted = parts_.models.insert(model, first);
  if (inserted) return model;
  // Remove what was created for the model.
  const Result<bool> run_gone = parts_.run_log.remove(place, *model.run_id);
  const Result<void> version_gone = parts_.checkpoints.remove(model, first.version_id);
  if (!run_gone) return run_gone.error();
  if (!version_gone) return version_gone.error();
  return inserted.error();
}

Result<Model> ModelService::require(const Caller& caller,
                                    std::string_view id,
                                    identity::Action action) {
  Result<Model> model = parts_.models.find(id);
  if (!model) return model;
  const Result<identity::ProjectAccess> access = parts_.access.requireInProject(
      caller.user_id, model->place.entity, model->place.project, action);
  if (access) return model;
  if (access.error().code() == ErrorCode::kNotFound) return Error::notFound("Model not found");
  return access.error();
}

Result<ModelRemoved> ModelService::remove(const Caller& caller, std::string_view id) {
  const Result<Model> model = require(caller, id, identity::Action::kWriteProject);
  if (!model) return model.error();
  // Delete artifacts first: after a crash in between, the model can be deleted again.
  const Result<void> artifacts = parts_.collections.remove(model->place.id(), model->name);
  if (!artifacts && artifacts.error().code() != ErrorCode::kNotFound) return artifacts.error();
  const Result<std::int64_t> checkpoints = parts_.models.remove(id);
  if (!checkpoints) return checkpoints.error();
  ModelRemoved removed;
  removed.model_id = model->id;
  removed.deleted_checkpoints = *checkpoints;
  if (model->run_id) {
    const Result<bool> run = parts_.run_log.remove(model->place, *model->run_id);
    if (!run) return run.error();
    removed.deleted_run = *run;
  }
  return removed;
}

Result<CheckpointsRemoved> ModelService::removeCheckpoints(const Caller& caller,
                                                           std::string_view id,
                                                           const std::vector<std::int64_t>& steps) {
  const Result<Model> model = require(caller, id, identity::Action::kWriteProject);
  if (!model) return model.error();
  CheckpointsRemoved removed;
  std::vector<std::int64_t> seen;
  for (const std::int64_t step : steps) {
    if (std::find(seen.begin(), seen.end(), step) != seen.end()) continue;
    seen.push_back(step);
    const Result<std::optional<Checkpoint>> found = parts_.models.checkpoint(id, step);
    if (!found) return found.error();
    if (!*found) {
      removed.not_found_steps.push_back(step);
      continue;
    }
    Result<void> gone = parts_.checkpoints.remove(*model, (*found)->version_id);
    if (gone) gone = parts_.models.removeCheckpoint((*found)->id);
    if (!gone) return std::move(gone).error();
    ++removed.deleted_count;
  }
  return removed;
}

Result<void> ModelService::log(const Caller& caller,
                               std::string_view id,
                               const std::string& split,
                               const GroupSummary& summary,
                               const StoredFile& groups) {
  const Result<Model> model = require(caller, id, identity::Action::kWriteProject);
  if (!model) return model.error();
  const Metrics metrics = summary.metrics(split, model->step);
  const Result<std::optional<Checkpoint>> checkpoint = parts_.models.checkpoint(id, model->step);
  if (!checkpoint) return checkpoint.error();
  const Metrics before = *checkpoint ? metricsOf((*checkpoint)->metrics) : Metrics();
  const LoggedGroups logged{split, model->step, groups.blob, groups.size, metricsJson(metrics)};
  Result<void> kept =
      parts_.models.insertLog(id, logged, metricsJson(mergedMetrics(before, metrics)));
  if (!kept) return kept;
  parts_.run_log.add(*model, metrics);
  return {};
}

}  // namespace spindle::training
