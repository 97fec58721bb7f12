#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace spindle {

/// Returns true for UTF-8 without surrogates, overlong encodings and code points above U+10FFFF.
/// NUL is an ordinary character.
bool isUtf8(std::string_view text);

/// Returns true for the first byte of a character, false for its other bytes.
inline bool beginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }
/// Returns the number of characters (code points).
inline std::size_t charactersIn(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), beginsCharacter));
}

/// Appends the character of a code point.
void appendUtf8(std::string& out, char32_t code);

}  // namespace spindle
