#include "training/jobs/checkpoint_json.h"

#include "training/data/flat_json.h"

namespace spindle::training {

std::string checkpointMetadata(const Model& model, std::int64_t step, bool identity) {
  schema::MapOf<FlatValue> members = {
      {"base_model", model.base_model}, {"model_id", model.id}, {"step", step}};
  if (identity) members.emplace_back("identity", true);
  return flatJson(members);
}

std::string checkpointNote(const Model& model, std::int64_t step, const std::string& job_id) {
  return flatJson({{"model_id", model.id},
                   {"base_model", model.base_model},
                   {"step", step},
                   {"training_job_id", job_id.empty() ? std::nullopt : std::optional(job_id)}});
}

std::string runConfig(const Model& model) {
  return flatJson(
      {{"model_id", model.id}, {"model", model.name}, {"base_model", model.base_model}});
}

}  // namespace spindle::training
