#include "weights/formats/tensor.h"

#include <algorithm>
#include <array>

namespace spindle::weights {
namespace {

constexpr std::array kTypeLayouts = {
    TensorTypeLayout{TensorType::kF32, "f32", 1, 4},
    TensorTypeLayout{TensorType::kF16, "f16", 1, 2},
    TensorTypeLayout{TensorType::kQ4_0, "q4_0", 32, 18},
    TensorTypeLayout{TensorType::kQ4_1, "q4_1", 32, 20},
    TensorTypeLayout{TensorType::kQ5_0, "q5_0", 32, 22},
    TensorTypeLayout{TensorType::kQ5_1, "q5_1", 32, 24},
    TensorTypeLayout{TensorType::kQ8_0, "q8_0", 32, 34},
    TensorTypeLayout{TensorType::kQ8_1, "q8_1", 32, 36},
    TensorTypeLayout{TensorType::kQ2K, "q2_k", 256, 84},
    TensorTypeLayout{TensorType::kQ3K, "q3_k", 256, 110},
    TensorTypeLayout{TensorType::kQ4K, "q4_k", 256, 144},
    TensorTypeLayout{TensorType::kQ5K, "q5_k", 256, 176},
    TensorTypeLayout{TensorType::kQ6K, "q6_k", 256, 210},
    TensorTypeLayout{TensorType::kQ8K, "q8_k", 256, 292},
    TensorTypeLayout{TensorType::kIq4Nl, "iq4_nl", 32, 18},
    TensorTypeLayout{TensorType::kIq4Xs, "iq4_xs", 256, 136},
    TensorTypeLayout{TensorType::kI8, "i8", 1, 1},
    TensorTypeLayout{TensorType::kI16, "i16", 1, 2},
    TensorTypeLayout{TensorType::kI32, "i32", 1, 4},
    TensorTypeLayout{TensorType::kI64, "i64", 1, 8},
    TensorTypeLayout{TensorType::kF64, "f64", 1, 8},
    TensorTypeLayout{TensorType::kBf16, "bf16", 1, 2},
    TensorTypeLayout{TensorType::kMxfp4, "mxfp4", 32, 17},
};

}  // namespace

std::optional<TensorTypeLayout> layoutOf(TensorType type) {
  const auto* found =
      std::find_if(kTypeLayouts.begin(), kTypeLayouts.end(),
                   [type](const TensorTypeLayout& layout) { return layout.type == type; });
  return found == kTypeLayouts.end() ? std::nullopt : std::optional<TensorTypeLayout>(*found);
}

std::optional<std::uint64_t> elementsOf(const std::vector<std::uint64_t>& shape) {
  std::uint64_t elements = 1;
  for (const std::uint64_t dimension : shape) {
    if (__builtin_mul_overflow(elements, dimension, &elements)) return std::nullopt;
  }
  return elements;
}

std::optional<std::uint64_t> bytesOf(const TensorInfo& info) {
  const std::optional<TensorTypeLayout> layout = layoutOf(info.type);
  const std::optional<std::uint64_t> elements = elementsOf(info.shape);
  if (!layout || !elements) return std::nullopt;
  const std::uint64_t row = info.shape.empty() ? 1 : info.shape.back();
  if (row % layout->block != 0) return std::nullopt;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(*elements / layout->block, layout->bytes, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace spindle::weights
