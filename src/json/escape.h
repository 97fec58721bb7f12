#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::json {

/// Checks every escape between two quotes and replaces unpaired surrogates by U+FFFD in place.
bool checkEscapes(char* begin, char* end);

/// Undoes the escapes of a checked text between two quotes.
std::string unescape(std::string_view inner);

/// Appends the text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void appendQuoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

/// The same in printable ASCII alone, as Python's `json` writes it. The text must be UTF-8.
void appendAsciiQuoted(std::string& out, std::string_view text);

/// The text with U+FFFD in the place of every byte that is not UTF-8; nothing when there is none.
std::optional<std::string> repairedText(std::string_view text);

}  // namespace spindle::json
