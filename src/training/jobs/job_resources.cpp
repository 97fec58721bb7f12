#include "training/jobs/job_resources.h"

#include <utility>

#include "json/stored.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::training {
namespace {

constexpr std::int64_t kMostGpus = 100'000;
constexpr std::int64_t kMostGibibytes = 100'000;
constexpr std::size_t kMostLabels = 32;
constexpr std::size_t kLongestLabel = 64;

struct StoredDemand : JobDemand {
  std::string kind_text;
};

const schema::Codec<StoredDemand>& demandCodec() {
  static const schema::Codec<StoredDemand> codec =
      schema::Record<StoredDemand>("TrainingJobDemand")
          .required("kind", &StoredDemand::kind_text, schema::literal({"rl", "sft"}))
          .required("team_id", &StoredDemand::team_id, schema::string())
          .required("base_model", &StoredDemand::base_model, schema::string())
          .required("resources", &StoredDemand::resources, resourcesCodec())
          .codec();
  return codec;
}

}  // namespace

schema::Codec<JobResources> resourcesCodec() {
  using R = JobResources;
  return schema::Record<R>("TrainingResources", schema::Extra::kForbid)
      .optional("gpus", &R::gpus, schema::integer({.ge = 0, .le = kMostGpus}),
                "Number of GPUs of the trainer, at least.")
      .optional("gpu_memory_gib", &R::gpu_memory_gib,
                schema::integer({.ge = 0, .le = kMostGibibytes}),
                "Memory of each GPU in GiB, at least.")
      .optional("labels", &R::labels,
                schema::list(schema::string({.min_length = 1,
                                             .max_length = kLongestLabel,
                                             .pattern = R"(^[A-Za-z0-9][\w.:/-]*$)"}),
                             {.max_items = kMostLabels}),
                "Labels that the trainer must have, such as `h200`.")
      .codec();
}

std::string demandText(const JobDemand& demand) {
  StoredDemand stored;
  static_cast<JobDemand&>(stored) = demand;
  stored.kind_text = textOf(demand.kind);
  return demandCodec().toJson(stored);
}

JobDemand demandOf(std::string text) {
  Result<StoredDemand> stored =
      schema::parse(demandCodec(), std::move(text), "payload", json::kStoredDepth);
  if (!stored) return {};
  stored->kind = jobKindOf(stored->kind_text);
  return static_cast<JobDemand&&>(*stored);
}

std::string resourcesText(const JobResources& resources) {
  static const schema::Codec<JobResources> codec = resourcesCodec();
  return codec.toJson(resources);
}

JobResources resourcesOf(std::string text) {
  static const schema::Codec<JobResources> codec = resourcesCodec();
  Result<JobResources> resources =
      schema::parse(codec, std::move(text), "resources", json::kStoredDepth);
  return resources ? *std::move(resources) : JobResources();
}

}  // namespace spindle::training
