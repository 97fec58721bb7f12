#pragma once

namespace spindle::weights {

/// The character classes that pre-tokenizers distinguish: general categories L and N, and white
/// space.
enum class CharacterClass { kLetter, kNumber, kSpace, kOther };

CharacterClass classOf(char32_t code);

}  // namespace spindle::weights
