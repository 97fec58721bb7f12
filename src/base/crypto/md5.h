#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/crypto/digest_stream.h"

namespace spindle {

/// An MD5 digest, for protocols that require MD5. Not collision-resistant.
using Md5 = std::array<std::uint8_t, 16>;

/// Incremental MD5.
using Md5Stream = DigestStream<Md5>;

Md5 md5(std::string_view data);

/// Returns the bytes of a digest, for toHex() and encodeBase64().
inline std::string_view bytesOf(const Md5& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace spindle
