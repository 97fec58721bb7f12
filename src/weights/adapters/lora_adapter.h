#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "weights/formats/gguf_file.h"
#include "weights/formats/model_tensors.h"

namespace spindle::weights {

/// The two LoRA matrices of a module. Shapes: outermost dimension first.
struct LoraPair {
  const StoredTensor* down = nullptr;  ///< A: [rank, in]
  const StoredTensor* up = nullptr;    ///< B: [out, rank]
};

struct AdapterSummary {
  std::uint64_t matrices = 0;  ///< number of base model matrices that the adapter changes
  std::uint64_t rank = 0;      ///< the largest rank
};

/// Checks everything that llama.cpp assumes when it loads and applies a LoRA adapter; a violation
/// would abort the process. Checks metadata types, architecture, names, complete pairs, types and
/// shapes against the base model's tensors, and that all numbers are finite. Reads all tensor data.
/// @return kInvalidArgument that names the violated rule
Result<AdapterSummary> checkLora(const GgufFile& adapter, const ModelTensors& base);

/// Opens two files and calls checkLora(). @return also the errors of GgufFile::open()
Result<AdapterSummary> checkLoraFile(const std::string& adapter_file, const std::string& base_file);

/// Writes a checked copy of a LoRA adapter from an untrusted source. The copy contains only the
/// four values and the tensors that the engine needs, in the layout of GgufWriter. Writes a
/// temporary file and renames it to `to` when it is complete.
/// @return errors of checkLoraFile(); kUnavailable if the file cannot be written
Result<AdapterSummary> importLoraFile(const std::string& from,
                                      const std::string& base_file,
                                      const std::string& to);

}  // namespace spindle::weights
