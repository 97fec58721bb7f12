#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spindle::engine {

enum class EmbeddingEncoding {
  kNumbers,
  kBase64,  ///< 32-bit floats, little-endian
};

/// Returns the embedding list of the OpenAI API.
std::string embeddingsJson(const std::string& model,
                           const std::vector<std::vector<float>>& rows,
                           EmbeddingEncoding encoding,
                           std::int64_t tokens);

}  // namespace spindle::engine
