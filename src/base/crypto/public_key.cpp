#include "base/crypto/public_key.h"

#include <string>
#include <utility>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

namespace spindle {
namespace {

constexpr int kMinRsaBits = 2048;
constexpr int kMaxRsaBits = 8192;
constexpr std::size_t kMaxExponentBytes = 8;
constexpr std::size_t kP256Bytes = 32;

struct OpenSslDeleter {
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(OSSL_PARAM* params) const { OSSL_PARAM_free(params); }
  void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
};
template <class T>
using Owned = std::unique_ptr<T, OpenSslDeleter>;

const unsigned char* unsignedBytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Owned<BIGNUM> numberOf(std::string_view bytes) {
  return Owned<BIGNUM>(BN_bin2bn(unsignedBytes(bytes), static_cast<int>(bytes.size()), nullptr));
}

/// Makes a public key from the parameters in the builder, or returns null.
Owned<EVP_PKEY> keyFrom(const char* type, OSSL_PARAM_BLD* builder) {
  const Owned<OSSL_PARAM> params(OSSL_PARAM_BLD_to_param(builder));
  const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* made = nullptr;
  const bool done = params && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                    EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, params.get()) == 1;
  Owned<EVP_PKEY> key(made);
  if (!done) return nullptr;
  const Owned<EVP_PKEY_CTX> check(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
  if (!check || EVP_PKEY_public_check(check.get()) != 1) return nullptr;
  return key;
}

/// Converts r and s to the DER form that OpenSSL expects. Returns an empty text for other input.
std::string derSignature(std::string_view raw) {
  if (raw.size() != 2 * kP256Bytes) return {};
  const Owned<ECDSA_SIG> signature(ECDSA_SIG_new());
  Owned<BIGNUM> r = numberOf(raw.substr(0, kP256Bytes));
  Owned<BIGNUM> s = numberOf(raw.substr(kP256Bytes));
  if (!signature || !r || !s) return {};
  if (ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
  (void)r.release();  // `signature` owns the numbers now
  (void)s.release();
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &encoded);
  if (size <= 0) return {};
  std::string der(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
  OPENSSL_free(encoded);
  return der;
}

}  // namespace

struct PublicKey::Key {
  Owned<EVP_PKEY> key;
};

PublicKey::PublicKey(std::shared_ptr<const Key> key, SignatureAlgorithm algorithm)
    : key_(std::move(key)), algorithm_(algorithm) {}

std::optional<PublicKey> PublicKey::rsa(std::string_view modulus, std::string_view exponent) {
  if (modulus.empty() || exponent.empty() || modulus.size() > kMaxRsaBits / 8 ||
      exponent.size() > kMaxExponentBytes) {
    return std::nullopt;
  }
  const Owned<BIGNUM> n = numberOf(modulus);
  const Owned<BIGNUM> e = numberOf(exponent);
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || BN_num_bits(n.get()) < kMinRsaBits) return std::nullopt;
  if (BN_is_odd(e.get()) == 0 || BN_is_one(e.get()) == 1) return std::nullopt;
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return std::nullopt;
  }
  Owned<EVP_PKEY> key = keyFrom("RSA", builder.get());
  if (!key) return std::nullopt;
  return PublicKey(std::make_shared<const Key>(Key{std::move(key)}), SignatureAlgorithm::kRs256);
}

std::optional<PublicKey> PublicKey::p256(std::string_view x, std::string_view y) {
  if (x.size() != kP256Bytes || y.size() != kP256Bytes) return std::nullopt;
  const std::string point = "\x04" + std::string(x) + std::string(y);
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (!builder ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) !=
          1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    return std::nullopt;
  }
  Owned<EVP_PKEY> key = keyFrom("EC", builder.get());
  if (!key) return std::nullopt;
  return PublicKey(std::make_shared<const Key>(Key{std::move(key)}), SignatureAlgorithm::kEs256);
}

bool PublicKey::verifies(std::string_view data, std::string_view signature) const {
  const std::string der =
      algorithm_ == SignatureAlgorithm::kEs256 ? derSignature(signature) : std::string();
  const std::string_view encoded =
      algorithm_ == SignatureAlgorithm::kEs256 ? std::string_view(der) : signature;
  if (encoded.empty()) return false;
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  // The padding of RSA keys is PKCS #1 v1.5 by default.
  return context &&
         EVP_DigestVerifyInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr,
                                 key_->key.get(), nullptr) == 1 &&
         EVP_DigestVerify(context.get(), unsignedBytes(encoded), encoded.size(),
                          unsignedBytes(data), data.size()) == 1;
}

}  // namespace spindle
