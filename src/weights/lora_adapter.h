#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "weights/gguf_file.h"
#include "weights/model_tensors.h"

namespace spindle::weights {

struct AdapterSummary {
  std::uint64_t matrices = 0;  ///< of the base model, that it changes
  std::uint64_t rank = 0;      ///< the largest
};

/// Checks everything that llama.cpp takes for granted when it loads and applies a LoRA adapter, and
/// ends the process over when it is otherwise: types of metadata, architecture, names, complete
/// pairs, types and shapes against the base model's tensors, finite numbers. Reads all of the data.
/// @return kInvalidArgument that says which rule the adapter breaks
Result<AdapterSummary> checkLora(const GgufFile& adapter, const ModelTensors& base);

/// checkLora() of two files. @return also as GgufFile::open()
Result<AdapterSummary> checkLoraFile(const std::string& adapter_file, const std::string& base_file);

/// Writes a checked copy of a LoRA adapter that came from outside. The copy has the four values
/// and the tensors that the engine needs and nothing else of the original: its layout is always
/// that of GgufWriter. `to` appears when it is whole.
/// @return as checkLoraFile(); kUnavailable when it cannot be written
Result<AdapterSummary> importLoraFile(const std::string& from,
                                      const std::string& base_file,
                                      const std::string& to);

}  // namespace spindle::weights
