#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/crypto.h"

namespace spindle::objects {

/// Returns the 43-character digest of content: SHA-256 in URL-safe Base64, with `-` and `_`
/// replaced by `X` and `Y`.
std::string digestText(const Sha256& hash);

/// Returns the digest of the bytes of a file.
std::string contentDigest(std::string_view bytes);

/// The digest of a JSON value: an object or a table row.
struct ValueDigest {
  std::string digest;
  std::size_t size = 0;  ///< bytes of the canonical form, the reported size of a value
};
/// Computes the digest. `json` must be valid JSON with internal refs.
ValueDigest valueDigest(std::string_view json);

/// Returns the 64 hexadecimal digits that identify a table, from the digests of its rows in order.
std::string tableDigest(const std::vector<std::string>& row_digests);

}  // namespace spindle::objects
