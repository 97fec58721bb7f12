#pragma once

#include <array>
#include <string_view>

#include "weights/formats/tensor.h"

namespace spindle::weights {

/// A `dtype` of safetensors files.
struct SafeTensorsType {
  std::string_view name;
  TensorType type;
};
inline constexpr std::array kSafeTensorsTypes = {
    SafeTensorsType{"F32", TensorType::kF32},   SafeTensorsType{"F16", TensorType::kF16},
    SafeTensorsType{"BF16", TensorType::kBf16}, SafeTensorsType{"F64", TensorType::kF64},
    SafeTensorsType{"I64", TensorType::kI64},   SafeTensorsType{"I32", TensorType::kI32},
    SafeTensorsType{"I16", TensorType::kI16},   SafeTensorsType{"I8", TensorType::kI8},
};

}  // namespace spindle::weights
