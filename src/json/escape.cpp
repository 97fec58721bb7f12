#include "json/escape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <simdjson.h>

#include "base/core/ascii.h"
#include "base/core/utf8.h"

namespace spindle::json {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the UTF-16 code unit of four hex digits, or -1.
int codeUnit(const char* at, const char* end) {
  if (end - at < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hexValue(at[i]);
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

bool isHighSurrogate(int unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool isLowSurrogate(int unit) { return unit >= 0xDC00 && unit < 0xE000; }

/// The escape sequence of each ASCII byte; empty if the byte needs no escape.
constexpr std::array<std::string_view, 128> kEscapes = [] {
  std::array<std::string_view, 128> table{};
  constexpr std::array<std::string_view, 32> kControls = {
      "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
      "\\b",     "\\t",     "\\n",     "\\u000b", "\\f",     "\\r",     "\\u000e", "\\u000f",
      "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
      "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f"};
  for (std::size_t i = 0; i < kControls.size(); ++i) table[i] = kControls[i];
  table['"'] = "\\\"";
  table['\\'] = "\\\\";
  return table;
}();

/// Returns the length of the well-formed UTF-8 sequence at `at`, or 0.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
  for (std::size_t length = 2; length <= 4 && at + length <= text.size(); ++length) {
    if (simdjson::validate_utf8(text.data() + at, length)) return length;
  }
  return 0;
}

std::string repaired(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      out += text[at++];
      continue;
    }
    const std::size_t length = sequenceLength(text, at);
    out += length == 0 ? kReplacement : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

void appendEscaped(std::string& out, std::string_view text) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80 || kEscapes[byte].empty()) continue;
    out.append(text, from, at - from);
    out += kEscapes[byte];
    from = at + 1;
  }
  out.append(text, from);
}

void appendUnit(std::string& out, std::uint32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[unit >> shift & 0xF];
}

void appendControl(std::string& out, char c) {
  constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::size_t named = kNamed.find(c);
  if (named == std::string_view::npos) {
    appendUnit(out, static_cast<unsigned char>(c));
  } else {
    out += '\\';
    out += kLetters[named];
  }
}

/// Appends the non-ASCII character that begins at `at`. The text is valid UTF-8.
/// @return the offset of the next character.
std::size_t appendCharacter(std::string& out, std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(at) >= 0xF0 ? 4 : byte(at) >= 0xE0 ? 3 : 2;
  std::uint32_t code = byte(at) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(at + i) & 0x3FU);
  if (code < 0x10000) {
    appendUnit(out, code);
  } else {
    appendUnit(out, 0xD800 + ((code - 0x10000) >> 10));
    appendUnit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
  }
  return at + length;
}

}  // namespace

bool checkEscapes(char* begin, char* end) {
  for (char* at = begin; at < end;) {
    at = static_cast<char*>(std::memchr(at, '\\', static_cast<std::size_t>(end - at)));
    if (at == nullptr) return true;
    if (at + 1 >= end) return false;
    if (at[1] != 'u') {
      if (std::string_view("\"\\/bfnrt").find(at[1]) == std::string_view::npos) return false;
      at += 2;
      continue;
    }
    const int unit = codeUnit(at + 2, end);
    if (unit < 0) return false;
    const bool pair_follows =
        end - at >= 12 && at[6] == '\\' && at[7] == 'u' && isLowSurrogate(codeUnit(at + 8, end));
    if (isHighSurrogate(unit) && pair_follows) {
      at += 12;
      continue;
    }
    if (isHighSurrogate(unit) || isLowSurrogate(unit)) std::copy_n("fffd", 4, at + 2);
    at += 6;
  }
  return true;
}

std::string unescape(std::string_view inner) {
  std::string out;
  out.reserve(inner.size());
  const char* const end = inner.data() + inner.size();
  for (std::size_t at = 0; at < inner.size();) {
    const std::size_t slash = inner.find('\\', at);
    out.append(inner, at, std::min(slash, inner.size()) - at);
    if (slash == std::string_view::npos) break;
    const char kind = inner[slash + 1];
    at = slash + 2;
    if (kind != 'u') {
      constexpr std::string_view kFrom = "\"\\/bfnrt";
      constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
      out += kTo[kFrom.find(kind)];
      continue;
    }
    auto code = static_cast<std::uint32_t>(codeUnit(inner.data() + at, end));
    at += 4;
    if (isHighSurrogate(static_cast<int>(code))) {
      const int low = codeUnit(inner.data() + at + 2, end);
      code = 0x10000 + ((code - 0xD800) << 10) + static_cast<std::uint32_t>(low - 0xDC00);
      at += 6;
    }
    appendUtf8(out, code);
  }
  return out;
}

void appendQuoted(std::string& out, std::string_view text) {
  out += '"';
  if (simdjson::validate_utf8(text.data(), text.size())) {
    appendEscaped(out, text);
  } else {
    appendEscaped(out, repaired(text));
  }
  out += '"';
}

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  appendQuoted(out, text);
  return out;
}

void appendAsciiQuoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    out.append(text, plain, at - plain);
    if (byte < 0x80) {
      appendControl(out, text[at++]);
    } else {
      at = appendCharacter(out, text, at);
    }
    plain = at;
  }
  out.append(text, plain);
  out += '"';
}

std::optional<std::string> repairedText(std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) return std::nullopt;
  return repaired(text);
}

}  // namespace spindle::json
