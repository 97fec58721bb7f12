#pragma once

namespace spindle::json {

/// Returns true for the white space of JSON (RFC 8259, section 2).
constexpr bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace spindle::json
