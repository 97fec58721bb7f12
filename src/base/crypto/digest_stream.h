#pragma once

#include <string_view>

#include "base/core/opaque.h"

struct evp_md_ctx_st;

namespace spindle {

/// Incremental hash: of Sha256 (crypto.h) or Md5 (md5.h). For one thread at a time.
template <class Digest>
class DigestStream {
 public:
  DigestStream();

  void add(std::string_view bytes);
  /// Returns the digest. Call add() no more after this.
  Digest finish();

 private:
  OpaquePtr<evp_md_ctx_st> context_;
};

}  // namespace spindle
