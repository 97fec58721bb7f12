#include "training/jobs/checkpoint_json.h"

#include "json/writer.h"

namespace spindle::training {

std::string checkpointMetadata(const Model& model, std::int64_t step, bool identity) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("base_model").string(model.base_model);
  out.key("model_id").string(model.id).key("step").integer(step);
  if (identity) out.key("identity").boolean(true);
  out.endObject();
  return text;
}

std::string checkpointNote(const Model& model, std::int64_t step, const std::string& job_id) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("model_id").string(model.id);
  out.key("base_model").string(model.base_model).key("step").integer(step);
  out.key("training_job_id");
  job_id.empty() ? out.null() : out.string(job_id);
  out.endObject();
  return text;
}

std::string runConfig(const Model& model) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("model_id").string(model.id).key("model").string(model.name);
  out.key("base_model").string(model.base_model).endObject();
  return text;
}

}  // namespace spindle::training
