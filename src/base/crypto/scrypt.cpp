#include "base/crypto/scrypt.h"

#include <array>
#include <memory>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

namespace spindle {
namespace {

constexpr std::uint32_t kLargestLogN = 20;

struct FreeKdf {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

OSSL_PARAM octets(const char* name, std::string_view text) {
  // OpenSSL does not change input parameters; its interface is older than const.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(text.data()), text.size());
}

}  // namespace

Result<Sha256> scrypt(std::string_view password, std::string_view salt, const ScryptCost& cost) {
  const auto failed = [] { return Error::unavailable("The password cannot be hashed now."); };
  if (cost.log_n == 0 || cost.log_n > kLargestLogN) return failed();
  const std::unique_ptr<EVP_KDF, FreeKdf> kdf(
      EVP_KDF_fetch(nullptr, OSSL_KDF_NAME_SCRYPT, nullptr));
  const std::unique_ptr<EVP_KDF_CTX, FreeKdf> context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  if (!context) return failed();
  std::uint64_t n = std::uint64_t{1} << cost.log_n;
  std::uint32_t r = cost.r;
  std::uint32_t p = cost.p;
  std::uint64_t most = 128ULL * r * (n + p + 2) + (1ULL << 20);
  const std::array<OSSL_PARAM, 7> params = {
      octets(OSSL_KDF_PARAM_PASSWORD, password),
      octets(OSSL_KDF_PARAM_SALT, salt),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &r),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &p),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &most),
      OSSL_PARAM_construct_end()};
  Sha256 key{};
  if (EVP_KDF_derive(context.get(), key.data(), key.size(), params.data()) != 1) {
    ERR_clear_error();
    return failed();
  }
  return key;
}

}  // namespace spindle
