#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spindle::engine {

enum class EmbeddingEncoding {
  kNumbers,
  kBase64,  ///< of 32-bit numbers, little-endian
};

/// A list of embeddings, as the OpenAI API has it.
std::string embeddingsJson(const std::string& model,
                           const std::vector<std::vector<float>>& rows,
                           EmbeddingEncoding encoding,
                           std::int64_t tokens);

}  // namespace spindle::engine
