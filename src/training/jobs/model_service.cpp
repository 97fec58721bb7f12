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
    const std::optional<std::string> own =
        TRY(identity::defaultTeamOf(parts_.teams, parts_.access, caller.user_id, caller.username));
    if (!own) return Error::invalidArgument("Say which entity the model is for.");
    entity = *own;
  }
  const identity::ProjectAccess access =
      TRY(parts_.access.writeProject(caller.user_id, entity, new_model.project));
  Result<Model> known = parts_.models.findByName(access.project_id, new_model.name);
  if (known) return new_model.return_existing ? std::move(known) : nameTaken();
  if (known.error().code() != ErrorCode::kNotFound) return known;
  registry::Place place;
  place.team_id = access.team_id;
  place.project_id = access.project_id;
  place.entity = entity;
  place.project = new_model.project;
  Result<Model> made = makeModel(place, caller, new_model);
  if (made || made.error().code() != ErrorCode::kConflict || !new_model.return_existing)
    return made;
  // Another request created the model first.
  known = parts_.models.findByName(access.project_id, new_model.name);
  return known ? known : made;
}

Result<Model> ModelService::makeModel(const registry::Place& place,
                                      const Caller& caller,
                                      const NewTrainedModel& new_model) {
  const std::optional<BaseModel> base = parts_.base_models(place.team_id, new_model.base_model);
  if (!base) {
    return Error::invalidArgument("The base model " + new_model.base_model + " is not supported.");
  }
  if (!base->isTrainable()) {
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
  const registry::Version identity = TRY(parts_.checkpoints.publishIdentity(model, *base));
  std::string run_id = TRY(parts_.run_log.create(model));
  model.run_id = std::move(run_id);
  Checkpoint first;
  first.id = newUuid(parts_.clock.now());
  first.version_id = identity.id;
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
  Model model = TRY(parts_.models.find(id));
  const Result<identity::ProjectAccess> access = parts_.access.requireInProject(
      caller.user_id, model.place.entity, model.place.project, action);
  if (access) return model;
  if (access.error().code() == ErrorCode::kNotFound) return Error::notFound("Model not found");
  return access.error();
}

Result<ModelRemoved> ModelService::remove(const Caller& caller, std::string_view id) {
  const Model model = TRY(require(caller, id, identity::Action::kWriteProject));
  // Delete artifacts first: after a crash in between, the model can be deleted again.
  const Result<void> artifacts = parts_.collections.remove(model.place.id(), model.name);
  if (!artifacts && artifacts.error().code() != ErrorCode::kNotFound) return artifacts.error();
  const std::int64_t checkpoints = TRY(parts_.models.remove(id));
  ModelRemoved removed;
  removed.model_id = model.id;
  removed.deleted_checkpoints = checkpoints;
  if (model.run_id) {
    const bool run = TRY(parts_.run_log.remove(model.place, *model.run_id));
    removed.deleted_run = run;
  }
  return removed;
}

Result<CheckpointsRemoved> ModelService::removeCheckpoints(const Caller& caller,
                                                           std::string_view id,
                                                           const std::vector<std::int64_t>& steps) {
  const Model model = TRY(require(caller, id, identity::Action::kWriteProject));
  CheckpointsRemoved removed;
  std::vector<std::int64_t> seen;
  for (const std::int64_t step : steps) {
    if (std::find(seen.begin(), seen.end(), step) != seen.end()) continue;
    seen.push_back(step);
    const std::optional<Checkpoint> found = TRY(parts_.models.checkpoint(id, step));
    if (!found) {
      removed.not_found_steps.push_back(step);
      continue;
    }
    Result<void> gone = parts_.checkpoints.remove(model, found->version_id);
    if (gone) gone = parts_.models.removeCheckpoint(found->id);
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
  const Model model = TRY(require(caller, id, identity::Action::kWriteProject));
  const Metrics metrics = summary.metrics(split, model.step);
  const std::optional<Checkpoint> checkpoint = TRY(parts_.models.checkpoint(id, model.step));
  const Metrics before = checkpoint ? metricsOf(checkpoint->metrics) : Metrics();
  const LoggedGroups logged{split, model.step, groups.blob, groups.size, metricsJson(metrics)};
  TRY(parts_.models.insertLog(id, logged, metricsJson(mergedMetrics(before, metrics))));
  parts_.run_log.add(model, metrics);
  return {};
}

}  // namespace spindle::training
