#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/formats/tensor.h"

namespace spindle::weights {

/// Converts to IEEE half precision: rounds to nearest, ties to even; overflow becomes infinity.
std::uint16_t halfOf(float value);
float floatOfHalf(std::uint16_t half);
/// Converts to bfloat16: rounds to nearest, ties to even.
std::uint16_t bfloat16Of(float value);
float floatOfBfloat16(std::uint16_t bfloat16);

/// Returns true if floatsOf() supports the type.
bool isPlainFloat(TensorType type);
/// Decodes numbers of type kF32, kF16, kBf16 or kF64.
std::vector<float> floatsOf(TensorType type, std::string_view bytes);
/// Encodes numbers as kF32, kF16, kBf16 or kQ8_0. For kQ8_0 their count must be a multiple of the
/// block size.
std::string encoded(TensorType type, const std::vector<float>& numbers);

}  // namespace spindle::weights
