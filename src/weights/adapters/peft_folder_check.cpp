#include "weights/adapters/peft_folder_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "weights/adapters/adapter_config.h"
#include "weights/formats/file_name.h"
#include "weights/formats/number_format.h"
#include "weights/formats/safetensors.h"

namespace spindle::weights {
namespace {

constexpr std::size_t kDimensions = 2;
constexpr std::size_t kNumbersAtOnce = 1UL << 16;

/// The ranks of the two matrices of a module; 0: not seen.
struct PairRanks {
  std::uint64_t down = 0;
  std::uint64_t up = 0;
};

Error refusedTensor(const StoredTensor& tensor, std::string_view why) {
  return Error::invalidArgument("adapter_model.safetensors: the tensor " +
                                printableName(tensor.info.name) + " " + std::string(why) + ".");
}

bool removeEnding(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

bool isFinite(const StoredTensor& tensor, std::uint64_t number_size) {
  const std::size_t piece = kNumbersAtOnce * number_size;
  for (std::size_t at = 0; at < tensor.data.size(); at += piece) {
    for (const float number : floatsOf(tensor.info.type, tensor.data.substr(at, piece))) {
      if (!std::isfinite(number)) return false;
    }
  }
  return true;
}

/// Adds a matrix to the pair of its module.
Result<void> addTo(std::map<std::string, PairRanks>& pairs, const StoredTensor& tensor) {
  std::string_view module = tensor.info.name;
  bool known = removeEnding(module, ".weight");
  removeEnding(module, ".default");
  const bool down = known && removeEnding(module, ".lora_A");
  known = known && (down || removeEnding(module, ".lora_B"));
  if (!known) return refusedTensor(tensor, "is no part of a LoRA adapter");
  const TensorType type = tensor.info.type;
  if (type != TensorType::kF32 && type != TensorType::kF16 && type != TensorType::kBf16) {
    return refusedTensor(tensor, "is not F32, F16 or BF16");
  }
  if (tensor.info.shape.size() != kDimensions) return refusedTensor(tensor, "is no matrix");
  if (!isFinite(tensor, layoutOf(type)->bytes)) {
    return refusedTensor(tensor, "contains numbers that are not finite");
  }
  PairRanks& pair = pairs[std::string(module)];
  std::uint64_t& rank = down ? pair.down : pair.up;
  if (rank != 0) return refusedTensor(tensor, "occurs twice");
  rank = tensor.info.shape[down ? 0 : 1];
  if (rank == 0 || rank > kLargestLoraRank) return refusedTensor(tensor, "has no permitted rank");
  return {};
}

}  // namespace

Result<void> checkPeftFolder(const std::string& folder) {
  TRY(AdapterConfig::read(folder));
  const SafeTensors tensors = TRY(SafeTensors::open(folder + "/adapter_model.safetensors"));
  std::map<std::string, PairRanks> pairs;
  for (const StoredTensor& tensor : tensors.tensors()) {
    TRY(addTo(pairs, tensor));
  }
  if (pairs.empty()) return Error::invalidArgument("adapter_model.safetensors has no tensors.");
  for (const auto& [module, ranks] : pairs) {
    if (ranks.down == ranks.up) continue;
    return Error::invalidArgument("adapter_model.safetensors: the matrices of " +
                                  printableName(module) + " do not fit together.");
  }
  return {};
}

}  // namespace spindle::weights
