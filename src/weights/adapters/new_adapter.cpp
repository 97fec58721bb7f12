#include "weights/adapters/new_adapter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string_view>
#include <utility>

#include "weights/adapters/adapter_config.h"
#include "weights/formats/gguf_file.h"
#include "weights/huggingface/module_names.h"

namespace spindle::weights {
namespace {

constexpr std::size_t kPiece = 16UL * 1024;  // numbers

void append(std::string& out, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>(bits >> shift & 0xFFU);
  }
}

/// Sends `count` numbers from `next` to the sink in chunks.
template <class Next>
Result<void> send(std::uint64_t count, const ByteSink& sink, Next next) {
  std::string piece;
  for (std::uint64_t i = 0; i < count; ++i) {
    append(piece, next());
    if (piece.size() < kPiece * sizeof(float) && i + 1 < count) continue;
    TRY(sink(piece));
    piece.clear();
  }
  return {};
}

ByteSource drawn(std::uint64_t rank, std::uint64_t columns, std::uint64_t seed) {
  return [=](const ByteSink& sink) {
    std::mt19937_64 random(seed);
    const double bound = 1.0 / std::sqrt(static_cast<double>(columns));
    return send(rank * columns, sink, [&] {
      const double unit = static_cast<double>(random() >> 11U) * 0x1p-53;
      return static_cast<float>((2 * unit - 1) * bound);
    });
  };
}

ByteSource zeros(std::uint64_t count) {
  return [count](const ByteSink& sink) { return send(count, sink, [] { return 0.0F; }); };
}

std::string configOf(const NewAdapterOptions& options) {
  std::vector<std::string> targets;
  for (const std::string_view module : projections()) {
    targets.emplace_back(module.substr(module.find('.') + 1));
  }
  return adapterConfigText(options.base_model, options.rank, options.alpha, targets);
}

Error unfit(const std::string& why) {
  return Error::invalidArgument("This model cannot be trained: " + why + ".");
}

}  // namespace

Result<AdapterFiles> newAdapter(const NewAdapterOptions& options) {
  const GgufFile base = TRY(GgufFile::open(options.base_file));
  const std::string kind(base.text("general.architecture").value_or(""));
  if (!familyNamed(kind)) {
    return unfit("it has the architecture '" + kind + "', not llama, qwen2 or qwen3");
  }
  const std::int64_t layers = base.integer(kind + ".block_count").value_or(0);
  AdapterFiles files;
  files.config = configOf(options);
  std::uint64_t seed = options.seed;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::string number = std::to_string(layer);
    for (const std::string_view module : projections()) {
      const std::string place =
          "blk." + number + "." + std::string(ggufModuleOf(module).value_or("")) + ".weight";
      const StoredTensor* const tensor = base.find(place);
      if (tensor == nullptr || tensor->info.shape.size() != 2) {
        return unfit("it has no matrix " + place);
      }
      const std::uint64_t rows = tensor->info.shape[0];
      const std::uint64_t columns = tensor->info.shape[1];
      const std::string name =
          "base_model.model.model.layers." + number + "." + std::string(module);
      files.tensors.addTensor({name + ".lora_A.weight", {options.rank, columns}, TensorType::kF32},
                              drawn(options.rank, columns, seed++));
      files.tensors.addTensor({name + ".lora_B.weight", {rows, options.rank}, TensorType::kF32},
                              zeros(rows * options.rank));
    }
  }
  if (layers <= 0) return unfit("it has no layers");
  return files;
}

}  // namespace spindle::weights
