#pragma once

#include <string>

namespace spindle::weights {

/// Appends the bytes of a number in the byte order of the machine. The file formats are
/// little-endian, as are all supported machines.
template <class T>
void appendBytes(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace spindle::weights
