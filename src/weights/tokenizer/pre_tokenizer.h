#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace spindle::weights {

struct Character {
  char32_t code;      ///< code point; the byte value if the bytes are not valid UTF-8
  std::size_t bytes;  ///< at least 1
  bool valid;
};

/// Returns the first character of a text that is not empty.
Character firstCharacter(std::string_view text);

/// Splits text at the boundaries that tokens must not cross, like the pre-tokenizer `smollm` of
/// GGUF files. Pieces are single digits, words, runs of symbols and runs of white space; a word or
/// symbol run includes one space before it. The concatenated pieces are the text. Invalid UTF-8
/// bytes count as symbols.
std::vector<std::string_view> preTokenize(std::string_view text);

}  // namespace spindle::weights
