#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::weights {

/// How the numbers of a tensor are stored. The values are the type numbers of GGUF files.
enum class TensorType : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ8_1 = 9,
  kQ2K = 10,
  kQ3K = 11,
  kQ4K = 12,
  kQ5K = 13,
  kQ6K = 14,
  kQ8K = 15,
  kIq4Nl = 20,
  kIq4Xs = 23,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kBf16 = 30,
  kMxfp4 = 39,
};

/// Numbers are stored in blocks of so many, of so many bytes.
struct TypeFacts {
  TensorType type;
  std::string_view name;
  std::uint64_t block;
  std::uint64_t bytes;
};

/// Empty for a type that is not in the enumeration.
std::optional<TypeFacts> factsOf(TensorType type);

struct TensorInfo {
  std::string name;
  /// The outermost dimension first, as in the files of training frameworks: [out, in].
  std::vector<std::uint64_t> shape;
  TensorType type = TensorType::kF32;
};

/// Empty when it does not fit in 64 bits.
std::optional<std::uint64_t> elementsOf(const std::vector<std::uint64_t>& shape);
/// Empty also for an unknown type, and for rows that are no whole blocks.
std::optional<std::uint64_t> bytesOf(const TensorInfo& info);

}  // namespace spindle::weights
