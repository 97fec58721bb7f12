#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::weights {

/// A file with more tensors than this is rejected.
inline constexpr std::size_t kMostTensors = 1UL << 16;

/// The storage type of a tensor's numbers. The values are the type numbers of GGUF files.
enum class TensorType : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  // NOLINTBEGIN(readability-identifier-naming): GGUF names these types with an underscore
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ8_1 = 9,
  // NOLINTEND(readability-identifier-naming)
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

/// The storage layout of a type: blocks of `block` numbers in `bytes` bytes.
struct TensorTypeLayout {
  TensorType type;
  std::string_view name;
  std::uint64_t block;
  std::uint64_t bytes;
};

/// Returns the layout of a type; empty if the type is not in the enumeration.
std::optional<TensorTypeLayout> layoutOf(TensorType type);

struct TensorInfo {
  std::string name;
  /// Outermost dimension first, as in the files of training frameworks: [out, in].
  std::vector<std::uint64_t> shape;
  TensorType type = TensorType::kF32;
};

/// A tensor of a file that is open for reading.
struct StoredTensor {
  TensorInfo info;
  std::string_view data;  ///< valid as long as the GgufFile or the SafeTensors
};

/// Returns the number of elements; empty if it exceeds 64 bits.
std::optional<std::uint64_t> elementsOf(const std::vector<std::uint64_t>& shape);
/// Returns the size in bytes; empty if it exceeds 64 bits, the type is unknown, or a row is not a
/// whole number of blocks.
std::optional<std::uint64_t> bytesOf(const TensorInfo& info);

}  // namespace spindle::weights
