#include "base/core/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spindle {
namespace {

/// Length of the sequence that starts with a byte, and the bounds of its second byte; those of the
/// third and fourth are fixed. Length 0 for a byte that starts no sequence.
struct Lead {
  std::size_t length = 0;
  unsigned char least = 0x80;
  unsigned char greatest = 0xBF;
};

Lead leadOf(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2};
  if (byte == 0xE0) return {3, 0xA0};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3};
  if (byte == 0xF0) return {4, 0x90};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  if (byte >= 0xF1 && byte <= 0xF3) return {4};
  return {};
}

/// Returns the number of leading ASCII bytes, in steps of eight.
std::size_t plainBytes(std::string_view text) {
  std::size_t count = 0;
  for (; count + 8 <= text.size(); count += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + count, 8);
    if ((eight & 0x8080808080808080U) != 0) break;
  }
  return count;
}

}  // namespace

bool isUtf8(std::string_view text) {
  while (true) {
    text.remove_prefix(plainBytes(text));
    if (text.empty()) return true;
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const Lead lead = leadOf(first);
    if (lead.length == 0 || text.size() < lead.length) return false;
    const auto second = static_cast<unsigned char>(text[1]);
    if (second < lead.least || second > lead.greatest) return false;
    for (std::size_t i = 2; i < lead.length; ++i) {
      if (beginsCharacter(text[i])) return false;
    }
    text.remove_prefix(lead.length);
  }
}

void appendUtf8(std::string& out, char32_t code) {
  const auto tail = [code](int shift) {
    return static_cast<char>(0x80U | (code >> shift & 0x3FU));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6);
    out += tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | code >> 12);
    out += tail(6);
    out += tail(0);
  } else {
    out += static_cast<char>(0xF0U | code >> 18);
    out += tail(12);
    out += tail(6);
    out += tail(0);
  }
}

}  // namespace spindle
