#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "weights/byte_sink.h"
#include "weights/tensor.h"

namespace spindle::weights {

/// Puts a GGUF file (version 3) together: first everything is added, then it is written.
class GgufWriter {
 public:
  void addText(std::string_view key, std::string_view value);
  void addU32(std::string_view key, std::uint32_t value);
  void addF32(std::string_view key, float value);
  void addBool(std::string_view key, bool value);
  void addTexts(std::string_view key, const std::vector<std::string>& values);
  void addI32s(std::string_view key, const std::vector<std::int32_t>& values);

  /// Tensors are written in this order.
  void addTensor(TensorInfo info, ByteSource source);

  /// The file appears when it is whole and on disk.
  /// @return kUnavailable; kInvalidArgument for a tensor whose source gives too few or too many
  ///     bytes; what sources return
  Result<void> writeTo(const std::string& path) const;

 private:
  struct Tensor {
    TensorInfo info;
    ByteSource source;
  };

  void addKey(std::string_view key, std::uint32_t type);
  void addArray(std::string_view key, std::uint32_t type, std::size_t count);

  std::string values_;
  std::uint64_t count_ = 0;  ///< of values
  std::vector<Tensor> tensors_;
};

}  // namespace spindle::weights
