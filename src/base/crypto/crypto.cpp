#include "base/crypto/crypto.h"

#include <algorithm>
#include <array>
#include <memory>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/core/check.h"

namespace spindle {
namespace {

constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

struct FreeHash {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// Computes one SHA-256. OpenSSL's one-shot functions look up the algorithm on every call, which
/// costs more than hashing a key. Here it is looked up once, and each thread keeps its context.
class Hasher {
 public:
  Hasher() : context_(contextOfThread()) {
    static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    check(EVP_DigestInit_ex2(context_, algorithm, nullptr));
  }
  Hasher& add(std::string_view data) {
    check(EVP_DigestUpdate(context_, data.data(), data.size()));
    return *this;
  }
  Sha256 finish() {
    Sha256 digest{};
    check(EVP_DigestFinal_ex(context_, digest.data(), nullptr));
    return digest;
  }

 private:
  static void check(int done) { SPINDLE_ASSERT(done == 1, "SHA-256 is not available"); }
  static EVP_MD_CTX* contextOfThread() {
    thread_local const std::unique_ptr<EVP_MD_CTX, FreeHash> kept(EVP_MD_CTX_new());
    return kept.get();
  }

  EVP_MD_CTX* context_;
};

const std::uint8_t* bytesOf(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytesOf(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }
int sizeOf(std::string_view text) { return static_cast<int>(text.size()); }

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::uint32_t kNoDigit = 0x80;

/// Returns the value of each byte in an alphabet; kNoDigit for bytes that are not in it.
constexpr std::array<std::uint8_t, 256> digitsOf(std::string_view alphabet) {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}
constexpr std::array<std::uint8_t, 256> kStandardDigits = digitsOf(kStandard);
constexpr std::array<std::uint8_t, 256> kUrlSafeDigits = digitsOf(kUrlSafe);

std::string encode(std::string_view bytes, std::string_view alphabet, bool padded) {
  const std::size_t rest = bytes.size() % 3;
  std::string text(bytes.size() / 3 * 4 + (rest == 0 ? 0 : rest + 1), '\0');
  const std::uint8_t* in = bytesOf(bytes);
  char* out = text.data();
  for (const std::uint8_t* end = in + bytes.size() - rest; in != end; in += 3, out += 4) {
    const std::uint32_t group = std::uint32_t{in[0]} << 16 | std::uint32_t{in[1]} << 8 | in[2];
    for (unsigned j = 0; j < 4; ++j) out[j] = alphabet[group >> (18 - 6 * j) & 63];
  }
  if (rest > 0) {
    const std::uint32_t second = rest == 2 ? in[1] : 0U;
    const std::uint32_t group = std::uint32_t{in[0]} << 16 | second << 8;
    for (unsigned j = 0; j <= rest; ++j) out[j] = alphabet[group >> (18 - 6 * j) & 63];
    if (padded) text.append(3 - rest, '=');
  }
  return text;
}

std::optional<std::string> decode(std::string_view text,
                                  const std::array<std::uint8_t, 256>& digits) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  const std::size_t rest = text.size() % 4;
  if (rest == 1) return std::nullopt;
  std::string bytes(text.size() / 4 * 3 + (rest == 0 ? 0 : rest - 1), '\0');
  const std::uint8_t* in = bytesOf(text);
  char* out = bytes.data();
  std::uint32_t wrong = 0;
  for (const std::uint8_t* end = in + text.size() - rest; in != end; in += 4, out += 3) {
    const std::uint32_t a = digits[in[0]];
    const std::uint32_t b = digits[in[1]];
    const std::uint32_t c = digits[in[2]];
    const std::uint32_t d = digits[in[3]];
    wrong |= a | b | c | d;
    const std::uint32_t group = a << 18 | b << 12 | c << 6 | d;
    out[0] = static_cast<char>(group >> 16 & 0xff);
    out[1] = static_cast<char>(group >> 8 & 0xff);
    out[2] = static_cast<char>(group & 0xff);
  }
  std::uint32_t group = 0;
  for (std::size_t j = 0; j < rest; ++j) {
    wrong |= digits[in[j]];
    group |= std::uint32_t{digits[in[j]]} << (18 - 6 * j);
  }
  for (std::size_t j = 1; j < rest; ++j) *out++ = static_cast<char>(group >> (24 - 8 * j) & 0xff);
  if ((wrong & kNoDigit) != 0) return std::nullopt;
  return bytes;
}

}  // namespace

void randomBytes(void* out, std::size_t size) {
  const int done = RAND_bytes(static_cast<unsigned char*>(out), static_cast<int>(size));
  SPINDLE_ASSERT(done == 1, "the operating system gives no random bytes");
}

std::string randomAlphanumeric(std::size_t size) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string text;
  while (text.size() < size) {
    std::uint8_t byte = 0;
    randomBytes(&byte, 1);
    if (byte < 4 * kAlphabet.size()) text += kAlphabet[byte % kAlphabet.size()];  // no modulo bias
  }
  return text;
}

Sha256 sha256(std::string_view data) { return Hasher().add(data).finish(); }

Sha256 hmacSha256(std::string_view key, std::string_view data) {
  constexpr std::size_t kBlock = 64;
  std::array<char, kBlock> inner{};
  if (key.size() > kBlock) {
    const Sha256 digest = sha256(key);
    std::copy(digest.begin(), digest.end(), inner.begin());
  } else {
    std::copy(key.begin(), key.end(), inner.begin());
  }
  std::array<char, kBlock> outer = inner;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
  const Sha256 middle = Hasher().add({inner.data(), kBlock}).add(data).finish();
  const std::string_view middle_bytes(reinterpret_cast<const char*>(middle.data()), middle.size());
  const Sha256 digest = Hasher().add({outer.data(), kBlock}).add(middle_bytes).finish();
  OPENSSL_cleanse(inner.data(), kBlock);
  OPENSSL_cleanse(outer.data(), kBlock);
  return digest;
}

std::string toHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    text[2 * i] = kDigits[byte >> 4];
    text[2 * i + 1] = kDigits[byte & 15];
  }
  return text;
}

bool equalInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string encodeBase64(std::string_view bytes) { return encode(bytes, kStandard, true); }
std::optional<std::string> decodeBase64(std::string_view text) {
  return decode(text, kStandardDigits);
}
std::string encodeBase64Url(std::string_view bytes) { return encode(bytes, kUrlSafe, false); }
std::optional<std::string> decodeBase64Url(std::string_view text) {
  return decode(text, kUrlSafeDigits);
}

std::string seal(const Sha256& key, std::string_view plain, std::string_view context) {
  std::string sealed(kNonceSize + plain.size() + kTagSize, '\0');
  std::uint8_t* nonce = bytesOf(sealed);
  std::uint8_t* body = nonce + kNonceSize;
  randomBytes(nonce, kNonceSize);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  const bool done =
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), nonce) == 1 &&
      EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytesOf(context), sizeOf(context)) == 1 &&
      EVP_EncryptUpdate(cipher.get(), body, &size, bytesOf(plain), sizeOf(plain)) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), body + size, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagSize, body + plain.size()) == 1;
  SPINDLE_ASSERT(done, "AES-256-GCM is not available");
  return sealed;
}

std::optional<std::string> open(const Sha256& key,
                                std::string_view sealed,
                                std::string_view context) {
  if (sealed.size() < kNonceSize + kTagSize) return std::nullopt;
  const std::string_view body = sealed.substr(kNonceSize, sealed.size() - kNonceSize - kTagSize);
  std::string tag(sealed.substr(sealed.size() - kTagSize));
  std::string plain(body.size(), '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  const bool done =
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), bytesOf(sealed)) ==
          1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytesOf(context), sizeOf(context)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), bytesOf(plain), &size, bytesOf(body), sizeOf(body)) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagSize, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytesOf(plain) + size, &size) == 1;
  if (!done) return std::nullopt;
  return plain;
}

}  // namespace spindle
