#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace spindle::weights {

struct Character {
  char32_t code;      ///< of the byte itself, where it is no UTF-8
  std::size_t bytes;  ///< at least 1
  bool valid;
};

/// Of text that is not empty.
Character firstCharacter(std::string_view text);

/// Cuts text where no token may reach across, in the way that GGUF files call `smollm`: each digit
/// for itself, then words, runs of signs and runs of space, words and signs with the space before
/// them. The pieces together are the text; bytes that are no UTF-8 count as signs.
std::vector<std::string_view> piecesOf(std::string_view text);

}  // namespace spindle::weights
