#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"

namespace spindle::objects {

/// The 43 characters that name content: SHA-256 as URL-safe Base64 with `-` and `_` written as `X`
/// and `Y`.
std::string digestText(const Sha256& hash);

/// Names bytes: files.
std::string contentDigest(std::string_view bytes);

/// A JSON value and what names it. Objects and table rows.
struct ValueDigest {
  std::string digest;
  std::size_t size = 0;  ///< bytes of the canonical form: what a value is said to take up
};
/// `json` must be valid JSON, its refs internal.
ValueDigest valueDigest(std::string_view json);

/// The 64 hexadecimal digits that name a table: its rows' digests in order.
std::string tableDigest(const std::vector<std::string>& row_digests);

}  // namespace spindle::objects
