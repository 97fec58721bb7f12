#pragma once

namespace spindle::weights {

/// What vocabularies tell apart when they cut text: the general categories L and N, and white
/// space.
enum class CharacterClass { kLetter, kNumber, kSpace, kOther };

CharacterClass classOf(char32_t code);

}  // namespace spindle::weights
