#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/tensor.h"

namespace spindle::weights {

/// IEEE half precision, rounded to nearest, ties to even; too large becomes infinite.
std::uint16_t halfOf(float value);
float floatOfHalf(std::uint16_t half);
/// The upper half of a float, rounded to nearest, ties to even.
std::uint16_t brainOf(float value);
float floatOfBrain(std::uint16_t brain);

/// Whether floatsOf() reads it.
bool isPlainFloat(TensorType type);
/// Numbers of kF32, kF16, kBf16 or kF64.
std::vector<float> floatsOf(TensorType type, std::string_view bytes);
/// The numbers as kF32, kF16, kBf16 or kQ8_0, of which they must be whole blocks.
std::string encoded(TensorType type, const std::vector<float>& numbers);

}  // namespace spindle::weights
