#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "weights/formats/byte_sink.h"
#include "weights/formats/tensor.h"

namespace spindle::weights {

/// Writes a GGUF file (version 3). Add all values and tensors, then call writeTo(). Memory use does
/// not grow with the size of the tensors.
class GgufWriter {
 public:
  void addText(std::string_view key, std::string_view value);
  void addU32(std::string_view key, std::uint32_t value);
  void addF32(std::string_view key, float value);
  void addBool(std::string_view key, bool value);
  void addTexts(std::string_view key, const std::vector<std::string>& values);
  void addI32s(std::string_view key, const std::vector<std::int32_t>& values);

  /// Adds a tensor. Tensors are written in the order in which they are added.
  void addTensor(TensorInfo info, ByteSource source);

  /// Writes a temporary file, syncs it to disk and renames it to `path`.
  /// @return kUnavailable; kInvalidArgument if a source gives too few or too many bytes; errors of
  ///     sources
  Result<void> writeTo(const std::string& path) const;

 private:
  struct Tensor {
    TensorInfo info;
    ByteSource source;
  };

  void addKey(std::string_view key, std::uint32_t type);
  void addArray(std::string_view key, std::uint32_t type, std::size_t count);

  std::string values_;
  std::uint64_t count_ = 0;  ///< number of values
  std::vector<Tensor> tensors_;
};

}  // namespace spindle::weights
