#include "training/jobs/checkpoint_json.h"

#include <optional>

#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::training {
namespace {

using schema::Codec, schema::ifPresent, schema::integer, schema::Record, schema::string;

struct CheckpointInfo {
  std::string model_id;
  std::string base_model;
  std::int64_t step = 0;
  std::optional<bool> identity = {};
  std::optional<std::string> training_job_id = {};
};

}  // namespace

std::string checkpointMetadata(const Model& model, std::int64_t step, bool identity) {
  using C = CheckpointInfo;
  static const Codec<C> codec =
      Record<C>("CheckpointMetadata")
          .required("base_model", &C::base_model, string(), "")
          .required("model_id", &C::model_id, string(), "")
          .required("step", &C::step, integer(), "")
          .required("identity", &C::identity, ifPresent(schema::boolean()), "")
          .codec();
  C info{model.id, model.base_model, step};
  if (identity) info.identity = true;
  return codec.toJson(info);
}

std::string checkpointNote(const Model& model, std::int64_t step, const std::string& job_id) {
  using C = CheckpointInfo;
  static const Codec<C> codec =
      Record<C>("CheckpointNote")
          .required("model_id", &C::model_id, string(), "")
          .required("base_model", &C::base_model, string(), "")
          .required("step", &C::step, integer(), "")
          .required("training_job_id", &C::training_job_id, schema::nullable(string()), "")
          .codec();
  C info{model.id, model.base_model, step};
  if (!job_id.empty()) info.training_job_id = job_id;
  return codec.toJson(info);
}

std::string runConfig(const Model& model) {
  static const Codec<Model> codec = Record<Model>("RunConfig")
                                        .required("model_id", &Model::id, string(), "")
                                        .required("model", &Model::name, string(), "")
                                        .required("base_model", &Model::base_model, string(), "")
                                        .codec();
  return codec.toJson(model);
}

}  // namespace spindle::training
