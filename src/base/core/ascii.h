#pragma once

#include <string>
#include <string_view>

namespace spindle {

// Classes and conversions of ASCII characters, independent of the locale. Other bytes belong to no
// class and stay unchanged.

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool isLetterOrDigit(char c) { return isLetter(c) || isDigit(c); }

/// Returns the value of a hexadecimal digit, or -1.
constexpr int hexValue(char c) {
  if (isDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char toLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
/// Returns the text with its letters in lower case.
inline std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = toLower(c);
  return lower;
}

/// Returns the text without the spaces and tabs around it.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace spindle
