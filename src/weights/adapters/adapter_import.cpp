#include "weights/adapters/adapter_import.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/process/durable_file.h"
#include "weights/adapters/adapter_config.h"
#include "weights/adapters/lora_adapter.h"
#include "weights/formats/file_name.h"
#include "weights/formats/gguf_file.h"
#include "weights/formats/gguf_writer.h"
#include "weights/formats/number_format.h"
#include "weights/formats/safetensors.h"
#include "weights/huggingface/module_names.h"

namespace spindle::weights {
namespace {

constexpr std::string_view kPrefix = "base_model.model.";

bool takePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool takeSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// Returns the name of the module's weight in the base model's GGUF file; empty if there is none.
std::string placeOf(std::string_view module) {
  if (module == "lm_head") return "output.weight";
  takePrefix(module, "model.");
  if (!takePrefix(module, "layers.")) return {};
  std::uint32_t layer = 0;
  const auto [rest, problem] = std::from_chars(module.data(), module.data() + module.size(), layer);
  module.remove_prefix(static_cast<std::size_t>(rest - module.data()));
  if (problem != std::errc() || !takePrefix(module, ".")) return {};
  const std::optional<std::string_view> name = ggufModuleOf(module);
  if (!name) return {};
  return "blk." + std::to_string(layer) + "." + std::string(*name) + ".weight";
}

bool isOfAdapters(TensorType type) {
  return type == TensorType::kF32 || type == TensorType::kF16 || type == TensorType::kBf16;
}

class Import {
 public:
  Import(const AdapterImport& import,
         const AdapterConfig& config,
         const SafeTensors& tensors,
         const GgufFile& base)
      : import_(import), config_(config), tensors_(tensors), base_(base) {}

  Result<AdapterImportResult> write() {
    const std::string architecture(base_.text("general.architecture").value_or(""));
    if (!familyNamed(architecture))
      fail("the base model has the architecture '" + architecture +
           "'; llama, qwen2 and qwen3 are supported");
    writer_.addText("general.type", "adapter");
    writer_.addText("general.architecture", architecture);
    writer_.addText("adapter.type", "lora");
    writer_.addF32("adapter.lora.alpha", static_cast<float>(config_.alpha()));
    collect();
    for (const auto& [module, pair] : pairs_) add(architecture, module, pair);
    if (pairs_.empty()) fail("adapter_model.safetensors has no tensors");
    if (!problem_.empty())
      return Error::invalidArgument("The adapter cannot be used: " + problem_ + ".");
    const std::string unchecked = import_.file + ".unchecked";
    TRY(writer_.writeTo(unchecked));
    TRY(finish(unchecked));
    imported_.base_model = config_.baseModel();
    return imported_;
  }

 private:
  void fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  /// Checks the written file like every adapter and then renames it: scaled numbers can exceed the
  /// range of the type.
  Result<void> finish(const std::string& unchecked) const {
    Result<AdapterSummary> checked = checkLoraFile(unchecked, import_.base_file);
    Result<void> done;
    if (!checked) done = std::move(checked).error();
    if (done) done = moveIntoPlace(unchecked, import_.file);
    std::error_code ignored;
    if (!done) std::filesystem::remove(unchecked, ignored);
    return done;
  }

  void collect() {
    for (const StoredTensor& tensor : tensors_.tensors()) {
      std::string_view module = tensor.info.name;
      takePrefix(module, kPrefix);
      bool known = takeSuffix(module, ".weight");
      takeSuffix(module, ".default");
      bool down = false;
      if (known) {
        down = takeSuffix(module, ".lora_A");
        known = down || takeSuffix(module, ".lora_B");
      }
      const std::string name = printableName(tensor.info.name);
      if (!known) return fail("the tensor " + name + " is no part of a LoRA adapter");
      if (!isOfAdapters(tensor.info.type))
        return fail("the tensor " + name + " is not F32, F16 or BF16");
      LoraPair& pair = pairs_[std::string(module)];
      const StoredTensor*& place = down ? pair.down : pair.up;
      if (place != nullptr) return fail("the tensor " + name + " occurs twice");
      place = &tensor;
    }
  }

  void add(const std::string& architecture, const std::string& module, const LoraPair& pair) {
    const std::string shown = printableName(module);
    if (pair.down == nullptr) return fail(shown + " has no lora_A");
    if (pair.up == nullptr) return fail(shown + " has no lora_B");
    // Look the module up in the base model first: this bounds the number of modules before patterns
    // are matched.
    const std::string place = placeOf(module);
    const StoredTensor* changed = place.empty() ? nullptr : base_.find(place);
    if (changed == nullptr) return fail("the base model has no place for " + shown);
    if (!config_.targets(module)) return fail(shown + " is not one of the target_modules");
    const std::uint64_t rank = config_.rankOf(module);
    if (import_.largest_rank > 0 && rank > import_.largest_rank)
      return fail(module + " has the rank " + std::to_string(rank) + "; at most " +
                  std::to_string(import_.largest_rank) + " is supported");
    const std::vector<std::uint64_t>& shape = changed->info.shape;
    if (shape.size() != 2 || pair.down->info.shape != std::vector{rank, shape[1]} ||
        pair.up->info.shape != std::vector{shape[0], rank})
      return fail(module + " does not fit: for the rank " + std::to_string(rank) +
                  " and this base model lora_A is " + sizes(rank, shape[1]) + " and lora_B " +
                  sizes(shape[0], rank));
    const bool turns = architecture == "llama" && (module.ends_with(".self_attn.q_proj") ||
                                                   module.ends_with(".self_attn.k_proj"));
    const std::uint64_t head = turns ? headWidth() : 1;
    if (head == 0 || shape[0] % head != 0)
      return fail("the base model's matrix for " + module + " is not made of whole heads");
    ++imported_.matrices;
    imported_.rank = std::max(imported_.rank, rank);

    // llama.cpp multiplies by alpha / rank, with one alpha for the whole adapter.
    const double factor = config_.scaleOf(module) * static_cast<double>(rank) / config_.alpha();
    addTensor(place + ".lora_a", *pair.down, 1, {});
    addTensor(place + ".lora_b", *pair.up, factor, turns ? permutedRows(head) : RowOrder());
  }

  static std::string sizes(std::uint64_t rows, std::uint64_t columns) {
    return "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  }

  std::uint64_t headWidth() const {
    const std::string at = std::string(base_.text("general.architecture").value_or("")) + ".";
    if (const auto width = base_.integer(at + "attention.key_length"); width && *width > 0)
      return static_cast<std::uint64_t>(*width);
    const std::int64_t heads =
        std::max<std::int64_t>(1, base_.integer(at + "attention.head_count").value_or(1));
    return static_cast<std::uint64_t>(base_.integer(at + "embedding_length").value_or(0) / heads);
  }

  void addTensor(const std::string& name,
                 const StoredTensor& tensor,
                 double factor,
                 const RowOrder& order) {
    // Convert while writing, so that only one tensor is in memory at a time.
    writer_.addTensor({name, tensor.info.shape, TensorType::kF32},
                      [&tensor, factor, order](const ByteSink& sink) {
                        return sink(encoded(TensorType::kF32, converted(tensor, factor, order)));
                      });
  }

  static std::vector<float> converted(const StoredTensor& tensor,
                                      double factor,
                                      const RowOrder& order) {
    const std::vector<float> numbers = floatsOf(tensor.info.type, tensor.data);
    const std::uint64_t columns = tensor.info.shape[1];
    std::vector<float> changed;
    changed.reserve(numbers.size());
    for (std::uint64_t row = 0; row < tensor.info.shape[0]; ++row) {
      const std::uint64_t source = (order ? order(row) : row) * columns;
      for (std::uint64_t column = 0; column < columns; ++column)
        changed.push_back(
            static_cast<float>(static_cast<double>(numbers[source + column]) * factor));
    }
    return changed;
  }

  const AdapterImport& import_;
  const AdapterConfig& config_;
  const SafeTensors& tensors_;
  const GgufFile& base_;
  GgufWriter writer_;
  std::map<std::string, LoraPair> pairs_;  ///< by module
  AdapterImportResult imported_;
  std::string problem_;
};

}  // namespace

Result<AdapterImportResult> importAdapter(const AdapterImport& import) {
  const AdapterConfig config = TRY(AdapterConfig::read(import.folder));
  const SafeTensors tensors = TRY(SafeTensors::open(import.folder + "/adapter_model.safetensors"));
  const GgufFile base = TRY(GgufFile::open(import.base_file));
  return Import(import, config, tensors, base).write();
}

}  // namespace spindle::weights
