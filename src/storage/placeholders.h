#pragma once

#include <bit>
#include <cstddef>
#include <string>

namespace spindle::storage {

/// How many question marks to write for a list of that many values: a power of two, so that lists
/// of all lengths share a few statements. The last value fills what is left.
inline std::size_t paddedCount(std::size_t count) { return std::bit_ceil(count); }

/// `(?, ?, ?)` repeated `groups` times: for VALUES, or once for IN.
inline std::string placeholders(std::size_t count, std::size_t groups = 1) {
  std::string group = "(";
  for (std::size_t i = 0; i < count; ++i) group += i == 0 ? "?" : ", ?";
  group += ")";
  std::string out;
  for (std::size_t i = 0; i < groups; ++i) out.append(i == 0 ? "" : ", ").append(group);
  return out;
}

}  // namespace spindle::storage
