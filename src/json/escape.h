#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::json {

/// Validates every escape of a string without its quotes, and replaces unpaired surrogates with
/// U+FFFD in place. Returns false if an escape is invalid.
bool checkEscapes(char* begin, char* end);

/// Unescapes a string without its quotes that checkEscapes() has accepted.
std::string unescape(std::string_view inner);

/// Appends the text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void appendQuoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

/// Appends the text as a JSON string in printable ASCII, as Python's `json` writes it. The text
/// must be UTF-8.
void appendAsciiQuoted(std::string& out, std::string_view text);

/// Returns the text with every byte that is not UTF-8 replaced with U+FFFD, or nothing if the text
/// is valid UTF-8.
std::optional<std::string> repairedText(std::string_view text);

}  // namespace spindle::json
