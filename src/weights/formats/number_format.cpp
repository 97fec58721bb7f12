#include "weights/formats/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/core/check.h"
#include "weights/formats/append_bytes.h"

namespace spindle::weights {
namespace {

constexpr std::size_t kBlock = 32;

std::uint32_t bitsOf(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float floatOfBits(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <class T, class Convert>
std::vector<float> converted(std::string_view bytes, const Convert& convert) {
  std::vector<float> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = convert(value);
  }
  return numbers;
}

/// Writes one Q8_0 block: a half-precision scale, then 32 signed bytes.
void putQ8(std::string& out, const float* numbers) {
  float largest = 0;
  for (std::size_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::abs(numbers[i]));
  const float scale = largest / 127;
  const float inverse = scale == 0 ? 0 : 1 / scale;
  appendBytes(out, halfOf(scale));
  for (std::size_t i = 0; i < kBlock; ++i)
    appendBytes(out, static_cast<std::int8_t>(std::round(numbers[i] * inverse)));
}

}  // namespace

std::uint16_t halfOf(float value) {
  const std::uint32_t bits = bitsOf(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;   // NaN
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // rounds to infinity
  if (magnitude < 0x38800000) {
    // Subnormal: adding 0.5 moves the rounded mantissa into the lowest bits.
    const float small = floatOfBits(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (bitsOf(small) - bitsOf(0.5F)));
  }
  const std::uint32_t odd = magnitude >> 13 & 1;
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

float floatOfHalf(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00) return floatOfBits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400) return floatOfBits(sign | ((magnitude << 13) + 0x38000000));
  const float small = static_cast<float>(magnitude) * 0x1p-24F;
  return sign == 0 ? small : -small;
}

std::uint16_t bfloat16Of(float value) {
  const std::uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float floatOfBfloat16(std::uint16_t bfloat16) {
  return floatOfBits(static_cast<std::uint32_t>(bfloat16) << 16);
}

bool isPlainFloat(TensorType type) {
  return type == TensorType::kF32 || type == TensorType::kF16 || type == TensorType::kBf16 ||
         type == TensorType::kF64;
}

std::vector<float> floatsOf(TensorType type, std::string_view bytes) {
  switch (type) {
    case TensorType::kF16:
      return converted<std::uint16_t>(bytes, floatOfHalf);
    case TensorType::kBf16:
      return converted<std::uint16_t>(bytes, floatOfBfloat16);
    case TensorType::kF64:
      return converted<double>(bytes, [](double value) { return static_cast<float>(value); });
    default:
      SPINDLE_ASSERT(type == TensorType::kF32, "floatsOf() reads F32, F16, BF16 and F64");
      return converted<float>(bytes, [](float value) { return value; });
  }
}

std::string encoded(TensorType type, const std::vector<float>& numbers) {
  std::string bytes;
  switch (type) {
    case TensorType::kF16:
      for (const float number : numbers) appendBytes(bytes, halfOf(number));
      break;
    case TensorType::kBf16:
      for (const float number : numbers) appendBytes(bytes, bfloat16Of(number));
      break;
    case TensorType::kQ8_0:
      SPINDLE_ASSERT(numbers.size() % kBlock == 0, "Q8_0 needs whole blocks");
      for (std::size_t i = 0; i < numbers.size(); i += kBlock) putQ8(bytes, &numbers[i]);
      break;
    default:
      SPINDLE_ASSERT(type == TensorType::kF32, "encoded() writes F32, F16, BF16 and Q8_0");
      for (const float number : numbers) appendBytes(bytes, number);
  }
  return bytes;
}

}  // namespace spindle::weights
