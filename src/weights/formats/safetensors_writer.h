#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "weights/formats/byte_sink.h"
#include "weights/formats/tensor.h"

namespace spindle::weights {

/// Writes a safetensors file. Add all tensors, then call writeTo(), as often as needed. Supports
/// F32, F16 and BF16.
class SafeTensorsWriter {
 public:
  /// Adds a tensor. Tensors are written in the order in which they are added.
  void addTensor(TensorInfo info, ByteSource source);

  /// Returns the size of the file in bytes.
  std::uint64_t size() const;
  /// Writes the file to `sink`.
  /// @return kInvalidArgument if a source gives too few or too many bytes; errors of sources and of
  ///     the sink
  Result<void> writeTo(const ByteSink& sink) const;

 private:
  struct Tensor {
    TensorInfo info;
    std::uint64_t bytes = 0;
    ByteSource source;
  };

  std::string header() const;

  std::vector<Tensor> tensors_;
};

}  // namespace spindle::weights
