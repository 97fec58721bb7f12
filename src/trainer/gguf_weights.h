#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trainer/model.h"
#include "weights/tensor.h"

namespace spindle::trainer {

/// Numbers out of a tensor's bytes, whatever their type.
/// @return kInvalidArgument for a type that cannot be read
using Dequantise = std::function<Result<std::vector<float>>(
    weights::TensorType type, std::string_view bytes, std::uint64_t count)>;
/// Plain numbers (32, 16 bits) alone.
Result<std::vector<float>> plainNumbers(weights::TensorType type,
                                        std::string_view bytes,
                                        std::uint64_t count);

/// The weights of a GGUF file, as a folder would have them: what the file turned for its own way of
/// telling positions apart is turned back.
/// @return kNotFound, kUnavailable; kInvalidArgument for what is not supported
Result<std::unique_ptr<WeightSource>> openGgufWeights(const std::string& path,
                                                      Dequantise dequantise);

}  // namespace spindle::trainer
