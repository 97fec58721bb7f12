#include "base/crypto/digest_stream.h"

#include <openssl/evp.h>

#include "base/core/check.h"
#include "base/crypto/crypto.h"
#include "base/crypto/md5.h"

namespace spindle {
namespace {

/// Returns the algorithm of a digest. It is fetched once: OpenSSL's EVP_sha256() makes every
/// initialization look it up.
template <class Digest>
const EVP_MD* algorithmOf();
template <>
const EVP_MD* algorithmOf<Sha256>() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}
template <>
const EVP_MD* algorithmOf<Md5>() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "MD5", nullptr);
  return algorithm;
}

}  // namespace

template <class Digest>
DigestStream<Digest>::DigestStream() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  const bool begun = context_ != nullptr &&
                     EVP_DigestInit_ex2(context_.get(), algorithmOf<Digest>(), nullptr) == 1;
  SPINDLE_ASSERT(begun, "the library has SHA-256 and MD5");
}

template <class Digest>
void DigestStream<Digest>::add(std::string_view bytes) {
  const bool added = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
  SPINDLE_ASSERT(added, "hashing memory cannot fail");
}

template <class Digest>
Digest DigestStream<Digest>::finish() {
  Digest digest{};
  const bool ended = EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1;
  SPINDLE_ASSERT(ended, "a stream ends once");
  return digest;
}

template class DigestStream<Sha256>;
template class DigestStream<Md5>;

}  // namespace spindle
