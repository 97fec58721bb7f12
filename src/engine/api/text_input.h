#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/runtime/model.h"

namespace spindle::engine {

using TokenIds = std::vector<std::int64_t>;
/// One text or several texts, as strings or as token ids.
using TextInput =
    std::variant<std::string, std::vector<std::string>, TokenIds, std::vector<TokenIds>>;

struct InputText {
  std::string text;
  std::vector<Token> tokens;  ///< token ids of the client may be outside the vocabulary
};

/// Tokenizes each text of an input. `add_special`: add the model's special tokens at the beginning
/// and end.
std::vector<InputText> textsOf(const Model& model, const TextInput& input, bool add_special);

}  // namespace spindle::engine
