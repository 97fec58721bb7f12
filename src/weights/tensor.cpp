#include "weights/tensor.h"

#include <algorithm>
#include <array>

namespace spindle::weights {
namespace {

constexpr std::array kFacts = {
    TypeFacts{TensorType::kF32, "f32", 1, 4},
    TypeFacts{TensorType::kF16, "f16", 1, 2},
    TypeFacts{TensorType::kQ4_0, "q4_0", 32, 18},
    TypeFacts{TensorType::kQ4_1, "q4_1", 32, 20},
    TypeFacts{TensorType::kQ5_0, "q5_0", 32, 22},
    TypeFacts{TensorType::kQ5_1, "q5_1", 32, 24},
    TypeFacts{TensorType::kQ8_0, "q8_0", 32, 34},
    TypeFacts{TensorType::kQ8_1, "q8_1", 32, 36},
    TypeFacts{TensorType::kQ2K, "q2_k", 256, 84},
    TypeFacts{TensorType::kQ3K, "q3_k", 256, 110},
    TypeFacts{TensorType::kQ4K, "q4_k", 256, 144},
    TypeFacts{TensorType::kQ5K, "q5_k", 256, 176},
    TypeFacts{TensorType::kQ6K, "q6_k", 256, 210},
    TypeFacts{TensorType::kQ8K, "q8_k", 256, 292},
    TypeFacts{TensorType::kIq4Nl, "iq4_nl", 32, 18},
    TypeFacts{TensorType::kIq4Xs, "iq4_xs", 256, 136},
    TypeFacts{TensorType::kI8, "i8", 1, 1},
    TypeFacts{TensorType::kI16, "i16", 1, 2},
    TypeFacts{TensorType::kI32, "i32", 1, 4},
    TypeFacts{TensorType::kI64, "i64", 1, 8},
    TypeFacts{TensorType::kF64, "f64", 1, 8},
    TypeFacts{TensorType::kBf16, "bf16", 1, 2},
    TypeFacts{TensorType::kMxfp4, "mxfp4", 32, 17},
};

}  // namespace

std::optional<TypeFacts> factsOf(TensorType type) {
  const auto* found = std::find_if(kFacts.begin(), kFacts.end(),
                                   [type](const TypeFacts& facts) { return facts.type == type; });
  return found == kFacts.end() ? std::nullopt : std::optional<TypeFacts>(*found);
}

std::optional<std::uint64_t> elementsOf(const std::vector<std::uint64_t>& shape) {
  std::uint64_t elements = 1;
  for (const std::uint64_t dimension : shape) {
    if (__builtin_mul_overflow(elements, dimension, &elements)) return std::nullopt;
  }
  return elements;
}

std::optional<std::uint64_t> bytesOf(const TensorInfo& info) {
  const std::optional<TypeFacts> facts = factsOf(info.type);
  const std::optional<std::uint64_t> elements = elementsOf(info.shape);
  if (!facts || !elements) return std::nullopt;
  const std::uint64_t row = info.shape.empty() ? 1 : info.shape.back();
  if (row % facts->block != 0) return std::nullopt;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(*elements / facts->block, facts->bytes, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace spindle::weights
