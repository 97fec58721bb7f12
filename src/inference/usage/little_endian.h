#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace spindle::inference {

/// Appends the bytes of an integer, the lowest first.
template <class Integer>
void putLittleEndian(std::string& out, Integer number) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFFU);
  }
}

}  // namespace spindle::inference
