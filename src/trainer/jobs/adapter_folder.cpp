#include "trainer/jobs/adapter_folder.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "trainer/model/atomic_file.h"
#include "weights/adapters/adapter_config.h"
#include "weights/formats/number_format.h"
#include "weights/formats/safetensors.h"
#include "weights/formats/safetensors_writer.h"

namespace spindle::trainer {
namespace {

constexpr std::string_view kPeftPrefix = "base_model.model.";
constexpr std::string_view kDown = ".lora_A.weight";
constexpr std::string_view kUp = ".lora_B.weight";

Error unusable(const std::string& why) {
  return Error::invalidArgument("The adapter cannot be trained further: " + why + ".");
}

std::string configOf(const Adapter& adapter) {
  std::set<std::string> targets;
  for (const auto& [module, pair] : adapter.pairs)
    targets.insert(module.substr(module.rfind('.') + 1));
  return weights::adapterConfigText(adapter.base_model, adapter.rank, adapter.alpha,
                                    {targets.begin(), targets.end()});
}

}  // namespace

Result<Adapter> readAdapterFolder(const std::string& folder) {
  const weights::AdapterConfig config = TRY(weights::AdapterConfig::read(folder));
  const weights::SafeTensors tensors =
      TRY(weights::SafeTensors::open(folder + "/adapter_model.safetensors"));
  Adapter adapter{.rank = config.rank(),
                  .alpha = config.alpha(),
                  .base_model = config.baseModel(),
                  .pairs = {}};
  std::optional<double> scale;
  for (const weights::StoredTensor& tensor : tensors.tensors()) {
    std::string module = tensor.info.name;
    if (module.starts_with(kPeftPrefix)) module.erase(0, kPeftPrefix.size());
    const bool down = module.ends_with(kDown);
    if (!down && !module.ends_with(kUp))
      return unusable(tensor.info.name + " is not a LoRA tensor");
    module.resize(module.size() - kDown.size());
    if (!weights::isPlainFloat(tensor.info.type))
      return unusable(tensor.info.name + " is not F32, F16, BF16 or F64");
    if (config.rankOf(module) != adapter.rank) return unusable("its ranks differ between modules");
    // One factor for all modules: another kind of scaling is converted to another alpha.
    if (scale && *scale != config.scaleOf(module))
      return unusable("its alphas differ between modules");
    scale = config.scaleOf(module);
    Adapter::Pair& pair = adapter.pairs[module];
    (down ? pair.down : pair.up) = weights::floatsOf(tensor.info.type, tensor.data);
  }
  if (scale) adapter.alpha = *scale * static_cast<double>(adapter.rank);
  return adapter;
}

Result<void> writeAdapterFolder(const Adapter& adapter, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Error::unavailable(folder + ": " + problem.message());
  weights::SafeTensorsWriter writer;
  const auto add = [&writer](const std::string& name, std::uint64_t rows,
                             const std::vector<float>& numbers) {
    writer.addTensor({name, {rows, numbers.size() / rows}, weights::TensorType::kF32},
                     [&numbers](const weights::ByteSink& sink) {
                       return sink(weights::encoded(weights::TensorType::kF32, numbers));
                     });
  };
  for (const auto& [module, pair] : adapter.pairs) {
    const std::string name = std::string(kPeftPrefix) + module;
    add(name + std::string(kDown), adapter.rank, pair.down);
    add(name + std::string(kUp), pair.up.size() / adapter.rank, pair.up);
  }
  const std::filesystem::path root(folder);
  TRY(writeFileAtomically(
      root / "adapter_model.safetensors",
      [&writer](const weights::ByteSink& sink) { return writer.writeTo(sink); }));
  return writeFileAtomically(
      root / "adapter_config.json",
      [&adapter](const weights::ByteSink& sink) { return sink(configOf(adapter)); });
}

}  // namespace spindle::trainer
