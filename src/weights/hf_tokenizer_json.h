#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace spindle::weights {

/// A byte-level BPE vocabulary, as a folder's `tokenizer.json` and `tokenizer_config.json` say.
struct HfTokenizer {
  /// What a token is; the values are those of GGUF files.
  enum class Type : std::int32_t { kNormal = 1, kControl = 3, kUserDefined = 4, kUnused = 5 };

  std::string splitting;  ///< how text is cut before merging: the name that GGUF files use
  std::vector<std::string> tokens;  ///< by id
  std::vector<Type> types;          ///< by id
  std::vector<std::string> merges;  ///< the two parts with a space between, the first first
  std::optional<std::int64_t> begin = {};
  std::optional<std::int64_t> end = {};
  std::optional<std::int64_t> pad = {};
  bool add_begin = false;
  std::string chat_template;  ///< empty: none
};

/// `size` tokens: ids that nothing has are filled with unused ones.
/// @return kInvalidArgument for a tokenizer of another kind
Result<HfTokenizer> readHfTokenizer(const std::string& folder, std::uint64_t size);

}  // namespace spindle::weights
