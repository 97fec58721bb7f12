#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spindle {

/// Appends the bytes of an integer, the lowest first.
template <class Integer>
void putLittleEndian(std::string& out, Integer number) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFFU);
  }
}

/// Returns the integer whose bytes begin at `offset`; the text must contain them all.
template <class Integer>
Integer littleEndianAt(std::string_view bytes, std::size_t offset) {
  Integer number = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    number |= static_cast<Integer>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  }
  return number;
}

}  // namespace spindle
