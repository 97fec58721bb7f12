#include "training/jobs/forks.h"

#include "base/crypto/id.h"
#include "registry/artifacts/step_alias.h"
#include "registry/repositories/collection_repository.h"
#include "registry/repositories/version_repository.h"
#include "training/jobs/checkpoints.h"
#include "training/jobs/model_repository.h"

namespace spindle::training {

Result<Model> Forks::adopt(const Model& model) {
  const Result<std::vector<std::string>> aliases =
      collections_.aliases(model.place.id(), model.name, registry::kStepPrefix);
  if (!aliases && aliases.error().code() == ErrorCode::kNotFound) return model;
  if (!aliases) return aliases.error();
  const std::optional<registry::StepAlias> newest = registry::newestStep(*aliases);
  if (!newest || newest->step <= model.step) return model;
  registry::VersionName name;
  name.alias = newest->alias;
  const Result<registry::Version> version = versions_.find(model.place.id(), model.name, name);
  if (!version && version.error().code() == ErrorCode::kNotFound) return model;
  if (!version) return version.error();
  for (const std::string_view file : kAdapterFiles) {
    const Result<registry::ManifestEntry> entry = versions_.entry(version->id, file);
    if (!entry && entry.error().code() == ErrorCode::kNotFound) return model;
    if (!entry) return entry.error();
  }
  Checkpoint checkpoint;
  checkpoint.id = newUuid(clock_.now());
  checkpoint.step = newest->step;
  checkpoint.version_id = version->id;
  TRY(models_.adopt(model.id, checkpoint));
  return models_.find(model.id);
}

}  // namespace spindle::training
