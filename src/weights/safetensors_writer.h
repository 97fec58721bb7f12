#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "weights/byte_sink.h"
#include "weights/tensor.h"

namespace spindle::weights {

/// Puts a safetensors file together: first everything is added, then it is written, as often as
/// wanted. Of numbers as training frameworks keep them: F32, F16, BF16.
class SafeTensorsWriter {
 public:
  /// Tensors are written in this order.
  void addTensor(TensorInfo info, ByteSource source);

  /// Of the whole file.
  std::uint64_t size() const;
  /// @return kInvalidArgument for a tensor whose source gives too few or too many bytes; what
  ///     sources and the sink return
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
