#include "training/trainers/trainer_capabilities.h"

#include <optional>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "weights/formats/gguf_file.h"
#include "weights/formats/json_file.h"

namespace spindle::training {
namespace {

constexpr std::size_t kLargestConfig = 1UL << 20;
/// The number of remembered families; catalogues are smaller.
constexpr std::size_t kMostKnown = 1'000;

/// Returns a text that changes when the file changes; empty if it does not exist.
std::string stampOf(const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return {};
  return std::to_string(found.st_ino) + ":" + std::to_string(found.st_size) + ":" +
         std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec);
}

std::string familyInFolder(const std::string& config) {
  const Result<json::Document> document = weights::readJsonFile(config, kLargestConfig);
  if (!document || !document->root().isObject()) return {};
  const std::optional<json::Node> type = document->root().find("model_type");
  return type && type->isString() ? type->text() : std::string();
}

std::string familyInFile(const std::string& file) {
  const Result<weights::GgufFile> model = weights::GgufFile::open(file);
  return model ? std::string(model->text("general.architecture").value_or("")) : std::string();
}

template <class T>
bool has(const std::vector<T>& all, const T& wanted) {
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

}  // namespace

std::string BaseModelFamilies::familyOf(const BaseModel& base) {
  const bool in_folder = !base.folder.empty();
  const Result<HeaderFile> header =
      in_folder ? Result<HeaderFile>(HeaderFile()) : base.headerFile();
  if (!header) return {};
  const std::string file = in_folder ? base.folder + "/config.json" : (*header)->path;
  std::string stamp = stampOf(file);
  if (stamp.empty()) return {};
  {
    const MutexLock lock(mutex_);
    for (const auto& [path, known] : known_) {
      if (path == file && known.stamp == stamp) return known.family;
    }
  }
  std::string family = in_folder ? familyInFolder(file) : familyInFile(file);
  const MutexLock lock(mutex_);
  std::erase_if(known_, [&file](const auto& one) { return one.first == file; });
  if (known_.size() >= kMostKnown) known_.erase(known_.begin());
  known_.emplace_back(file, Known{std::move(stamp), family});
  return family;
}

bool accepts(const TrainerCapabilities& trainer,
             const JobDemand& job,
             const BaseModels& base_models,
             BaseModelFamilies& families) {
  if (job.base_model.empty()) return trainer.reads(BaseFormat::kGguf);
  if (!has(trainer.kinds, job.kind)) return false;
  const JobResources& needs = job.resources;
  if (trainer.gpus < needs.gpus || trainer.gpu_memory_gib < needs.gpu_memory_gib) return false;
  const auto labelled = [&](const std::string& label) { return has(trainer.labels, label); };
  if (!std::all_of(needs.labels.begin(), needs.labels.end(), labelled)) return false;
  const std::optional<BaseModel> base = base_models(job.team_id, job.base_model);
  if (!base || !base->isTrainable()) return true;
  const bool readable = (base->hasFile() && trainer.reads(BaseFormat::kGguf)) ||
                        (!base->folder.empty() && trainer.reads(BaseFormat::kHuggingFace));
  if (!readable) return false;
  return trainer.families.empty() || has(trainer.families, families.familyOf(*base));
}

}  // namespace spindle::training
