#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace spindle::http {

/// Grows the capacity of `text` to at least `size` bytes, in few steps. Calls `grant` with a
/// capacity before allocating it: first double the size, then less, never more than `most`.
/// @return false, with the text unchanged, if no capacity is granted.
template <class Grant>
bool growTo(std::string& text, std::size_t size, std::size_t most, const Grant& grant) {
  for (const std::size_t part : {1U, 4U, 32U}) {
    const std::size_t capacity = std::max(size, std::min(most, size + size / part));
    if (!grant(capacity)) continue;
    // std::string::reserve() would double the capacity, independent of its argument.
    std::string larger;
    larger.reserve(capacity);
    larger.append(text);
    text.swap(larger);
    return true;
  }
  return false;
}

}  // namespace spindle::http
