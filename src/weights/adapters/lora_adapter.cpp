#include "weights/adapters/lora_adapter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/adapters/adapter_config.h"
#include "weights/formats/file_name.h"
#include "weights/formats/gguf_writer.h"

namespace spindle::weights {
namespace {

constexpr std::string_view kTypeKey = "general.type";
constexpr std::string_view kArchitectureKey = "general.architecture";
constexpr std::string_view kAdapterTypeKey = "adapter.type";
constexpr std::string_view kAlphaKey = "adapter.lora.alpha";
/// Marks an activated LoRA (aLoRA), which applies only after certain tokens.
constexpr std::string_view kInvocationKey = "adapter.alora.invocation_tokens";
constexpr std::string_view kEmbedding = "token_embd.weight";
constexpr std::string_view kDownEnding = ".lora_a";
constexpr std::string_view kUpEnding = ".lora_b";
constexpr double kLargestAlpha = 1e9;

using Shape = std::vector<std::uint64_t>;

std::string textOf(const Shape& shape) {
  std::string text;
  for (const std::uint64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

/// Returns true if no number is infinite or NaN, which have all exponent bits set.
template <class Bits>
bool areFinite(std::string_view bytes, Bits exponent) {
  bool finite = true;
  for (std::size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits bits = 0;
    std::memcpy(&bits, bytes.data() + at, sizeof bits);
    finite &= (bits & exponent) != exponent;
  }
  return finite;
}

/// Returns true if the scale of every Q8_0 block is finite. The scale comes first in a block of 34
/// bytes.
bool haveFiniteScales(std::string_view blocks) {
  constexpr std::size_t kBlock = 34;
  for (std::size_t at = 0; at + kBlock <= blocks.size(); at += kBlock) {
    if (!areFinite<std::uint16_t>(blocks.substr(at, 2), 0x7C00)) return false;
  }
  return true;
}

/// Returns whether all numbers are finite; empty for a type that adapters must not have.
std::optional<bool> isFinite(const StoredTensor& tensor) {
  switch (tensor.info.type) {
    case TensorType::kF32:
      return areFinite<std::uint32_t>(tensor.data, 0x7F800000U);
    case TensorType::kF16:
      return areFinite<std::uint16_t>(tensor.data, 0x7C00);
    case TensorType::kBf16:
      return areFinite<std::uint16_t>(tensor.data, 0x7F80);
    case TensorType::kQ8_0:
      return haveFiniteScales(tensor.data);
    default:
      return std::nullopt;
  }
}

class Check {
 public:
  Check(const GgufFile& adapter, const ModelTensors& base) : adapter_(adapter), base_(base) {}

  Result<AdapterSummary> run() {
    checkValues();
    collect();
    if (problem_.empty() && pairs_.empty()) fail("it has no tensors");
    for (const auto& [name, pair] : pairs_) {
      if (problem_.empty()) checkPair(name, pair);
    }
    if (problem_.empty()) return summary_;
    return Error::invalidArgument("The adapter cannot be used: " + problem_ + ".");
  }

 private:
  void fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  void requireText(std::string_view key, std::string_view wanted) {
    const std::optional<std::string_view> text = adapter_.text(key);
    if (text == wanted) return;
    fail(std::string(key) + " must be the text '" + printableName(wanted) + "'" +
         (text ? ", not '" + printableName(*text) + "'" : ""));
  }

  void checkValues() {
    requireText(kTypeKey, "adapter");
    requireText(kAdapterTypeKey, "lora");
    requireText(kArchitectureKey, base_.architecture());
    if (adapter_.has(kInvocationKey)) fail("activated LoRA (aLoRA) is not supported");
    if (!adapter_.has(kAlphaKey)) return;
    // llama.cpp aborts if the value has another type.
    const std::optional<double> alpha =
        adapter_.typeOf(kAlphaKey) == GgufType::kF32 ? adapter_.number(kAlphaKey) : std::nullopt;
    if (!alpha || !(*alpha >= 0) || *alpha > kLargestAlpha)
      fail(std::string(kAlphaKey) + " must be an F32 from 0 to 1e9");
  }

  void collect() {
    for (const StoredTensor& tensor : adapter_.tensors()) {
      std::string_view name = tensor.info.name;
      const bool is_down = name.ends_with(kDownEnding);
      if (!is_down && !name.ends_with(kUpEnding))
        return fail("the tensor " + printableName(name) +
                    " ends neither in .lora_a nor in .lora_b");
      name.remove_suffix(kDownEnding.size());
      // llama.cpp removes the suffix wherever it occurs in the name.
      if (name.find(kDownEnding) != std::string_view::npos ||
          name.find(kUpEnding) != std::string_view::npos)
        return fail("the tensor " + printableName(tensor.info.name) + " has two endings");
      LoraPair& pair = pairs_[std::string(name)];
      (is_down ? pair.down : pair.up) = &tensor;
    }
  }

  void checkPair(const std::string& name, const LoraPair& pair) {
    const std::string shown = printableName(name);
    if (pair.down == nullptr) return fail(shown + " has no lora_a");
    if (pair.up == nullptr) return fail(shown + " has no lora_b");
    const TensorInfo* changed = base_.find(name);
    if (changed == nullptr) return fail("the base model has no tensor " + shown);
    checkShapes(shown, pair, changed->shape);
    for (const StoredTensor* tensor : {pair.down, pair.up}) {
      if (problem_.empty()) checkNumbers(*tensor);
    }
    ++summary_.matrices;
  }

  void checkShapes(const std::string& shown, const LoraPair& pair, const Shape& base) {
    // 2 dimensions: a matrix. 3 dimensions: one matrix per expert.
    if (base.size() != 2 && base.size() != 3)
      return fail("the base model's tensor " + shown + " is no matrix");
    const Shape& down = pair.down->info.shape;
    const Shape& up = pair.up->info.shape;
    if (down.size() != base.size() || up.size() != base.size())
      return fail(shown + ": lora_a and lora_b must have " + std::to_string(base.size()) +
                  " dimensions");
    const std::uint64_t rank = up.back();
    if (rank < 1 || rank > kLargestLoraRank)
      return fail(shown + " has the rank " + std::to_string(rank) + "; it must be 1 to " +
                  std::to_string(kLargestLoraRank));
    const std::uint64_t in = base[base.size() - 1];
    const std::uint64_t out = base[base.size() - 2];
    // llama.cpp looks embedding rows up instead of multiplying, so both matrices are transposed.
    const bool is_embedding = shown.ends_with(kEmbedding);
    if (is_embedding && base.size() != 2) return fail(shown + " is no matrix");
    Shape wanted_down = is_embedding ? Shape{out, rank} : Shape{rank, in};
    Shape wanted_up = is_embedding ? Shape{in, rank} : Shape{out, rank};
    if (base.size() == 3) {
      wanted_down.insert(wanted_down.begin(), base.front());
      wanted_up.insert(wanted_up.begin(), base.front());
    }
    if (down != wanted_down || up != wanted_up)
      return fail(shown + " does not fit the base model: for the rank " + std::to_string(rank) +
                  " lora_a must be " + textOf(wanted_down) + " and lora_b " + textOf(wanted_up) +
                  ", not " + textOf(down) + " and " + textOf(up));
    summary_.rank = std::max(summary_.rank, rank);
  }

  void checkNumbers(const StoredTensor& tensor) {
    const std::string shown = printableName(tensor.info.name);
    const std::optional<bool> finite = isFinite(tensor);
    if (!finite)
      return fail("the tensor " + shown + " is " +
                  std::string(layoutOf(tensor.info.type).value_or(TensorTypeLayout{}).name) +
                  "; F32, F16, BF16 and Q8_0 are supported");
    if (!*finite) fail("the tensor " + shown + " holds numbers that are not finite");
  }

  const GgufFile& adapter_;
  const ModelTensors& base_;
  std::map<std::string, LoraPair> pairs_;  ///< by name of the base model's tensor
  AdapterSummary summary_;
  std::string problem_;
};

}  // namespace

Result<AdapterSummary> checkLora(const GgufFile& adapter, const ModelTensors& base) {
  return Check(adapter, base).run();
}

Result<AdapterSummary> checkLoraFile(const std::string& adapter_file,
                                     const std::string& base_file) {
  const GgufFile adapter = TRY(GgufFile::open(adapter_file));
  const ModelTensors base = TRY(ModelTensors::open(base_file));
  return checkLora(adapter, base);
}

Result<AdapterSummary> importLoraFile(const std::string& from,
                                      const std::string& base_file,
                                      const std::string& to) {
  const GgufFile adapter = TRY(GgufFile::open(from));
  const ModelTensors base = TRY(ModelTensors::open(base_file));
  AdapterSummary checked = TRY(checkLora(adapter, base));
  GgufWriter writer;
  for (const std::string_view key : {kTypeKey, kArchitectureKey, kAdapterTypeKey})
    writer.addText(key, adapter.text(key).value_or(""));
  writer.addF32(kAlphaKey, static_cast<float>(adapter.number(kAlphaKey).value_or(0)));
  for (const StoredTensor& tensor : adapter.tensors()) {
    writer.addTensor(tensor.info,
                     [data = tensor.data](const ByteSink& sink) { return sink(data); });
  }
  TRY(writer.writeTo(to));
  return checked;
}

}  // namespace spindle::weights
