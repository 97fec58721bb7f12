#include "base/crypto/md5.h"

#include <openssl/evp.h>

#include "base/core/check.h"

namespace spindle {

struct Md5Stream::State {
  State() {
    const bool begun = context != nullptr && EVP_DigestInit_ex(context, EVP_md5(), nullptr) == 1;
    SPINDLE_ASSERT(begun, "the library has MD5");
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  EVP_MD_CTX* context = EVP_MD_CTX_new();
};

Md5Stream::Md5Stream() : state_(std::make_unique<State>()) {}
Md5Stream::Md5Stream(Md5Stream&&) noexcept = default;
Md5Stream& Md5Stream::operator=(Md5Stream&&) noexcept = default;
Md5Stream::~Md5Stream() = default;

void Md5Stream::add(std::string_view bytes) {
  const bool added = EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1;
  SPINDLE_ASSERT(added, "hashing memory cannot fail");
}

Md5 Md5Stream::finish() {
  Md5 digest{};
  const bool ended = EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1;
  SPINDLE_ASSERT(ended, "a stream ends once");
  return digest;
}

Md5 md5(std::string_view data) {
  Md5Stream stream;
  stream.add(data);
  return stream.finish();
}

}  // namespace spindle
