#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/model.h"

namespace spindle::engine {

using TokenIds = std::vector<std::int64_t>;
/// Text, several texts, or the same as token ids.
using TextInput =
    std::variant<std::string, std::vector<std::string>, TokenIds, std::vector<TokenIds>>;

struct InputText {
  std::string text;
  std::vector<Token> tokens;  ///< ids that came as such may be unknown to the model
};

/// Each text of an input. `framed`: with the tokens that the model wants around every text.
std::vector<InputText> textsOf(const Model& model, const TextInput& input, bool framed);

}  // namespace spindle::engine
