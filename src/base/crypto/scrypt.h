#pragma once

#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "base/crypto/crypto.h"

namespace spindle {

/// The cost of scrypt (RFC 7914): 128 * r * 2^log_n bytes of memory, and time in proportion to
/// 2^log_n * r * p. The default needs 32 MiB.
struct ScryptCost {
  std::uint32_t log_n = 15;
  std::uint32_t r = 8;
  std::uint32_t p = 3;
};

/// Derives a key from a password. Takes about a tenth of a second with the default cost: worker
/// threads only. @return kUnavailable if the cost is not supported or the memory is not available.
Result<Sha256> scrypt(std::string_view password, std::string_view salt, const ScryptCost& cost);

}  // namespace spindle
