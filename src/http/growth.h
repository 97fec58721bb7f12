#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace spindle::http {

/// Makes room in `text` for `size` bytes, in few steps. `grant` is asked for a capacity before it
/// is allocated: for double the size first, then for less, and never for more than `most`.
/// @return false when nothing is granted; the text is as it was.
template <class Grant>
bool growTo(std::string& text, std::size_t size, std::size_t most, const Grant& grant) {
  for (const std::size_t part : {1U, 4U, 32U}) {
    const std::size_t capacity = std::max(size, std::min(most, size + size / part));
    if (!grant(capacity)) continue;
    // std::string::reserve() would double the capacity whatever it is asked for.
    std::string larger;
    larger.reserve(capacity);
    larger.append(text);
    text.swap(larger);
    return true;
  }
  return false;
}

}  // namespace spindle::http
