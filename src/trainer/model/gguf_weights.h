#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "trainer/model/model.h"
#include "weights/formats/tensor.h"

namespace spindle::trainer {

/// Converts the bytes of a tensor of any type to floats.
/// @return kInvalidArgument for an unsupported type
using Dequantise = std::function<Result<std::vector<float>>(
    weights::TensorType type, std::string_view bytes, std::uint64_t count)>;
/// A Dequantise for unquantized types only (F32, F16, BF16, F64).
Result<std::vector<float>> plainNumbers(weights::TensorType type,
                                        std::string_view bytes,
                                        std::uint64_t count);

/// Opens the weights of a GGUF file. Returns them in Hugging Face order: undoes the row permutation
/// of query and key matrices.
/// @return kNotFound; kUnavailable; kInvalidArgument if the model is not supported
Result<std::unique_ptr<WeightSource>> openGgufWeights(const std::string& path,
                                                      Dequantise dequantise);

}  // namespace spindle::trainer
