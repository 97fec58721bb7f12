#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace spindle::weights {

/// A byte-level BPE tokenizer, read from `tokenizer.json` and `tokenizer_config.json` of a folder.
struct HfTokenizer {
  /// The token type, with the values of GGUF files.
  enum class Type : std::int32_t { kNormal = 1, kControl = 3, kUserDefined = 4, kUnused = 5 };

  std::string pre_tokenizer;        ///< pre-tokenizer name in GGUF files (tokenizer.ggml.pre)
  std::vector<std::string> tokens;  ///< by id
  std::vector<Type> types;          ///< by id
  std::vector<std::string> merges;  ///< in order of priority; the two parts separated by a space
  std::optional<std::int64_t> begin = {};
  std::optional<std::int64_t> end = {};
  std::optional<std::int64_t> pad = {};
  bool add_begin = false;
  std::string chat_template;  ///< empty: none
};

/// Reads the tokenizer of a folder. The result has `size` tokens; ids without a token become
/// kUnused tokens.
/// @return kInvalidArgument for another kind of tokenizer
Result<HfTokenizer> readHfTokenizer(const std::string& folder, std::uint64_t size);

}  // namespace spindle::weights
