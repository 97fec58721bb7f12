#include "identity/sessions/password_hasher.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace spindle::identity {
namespace {

constexpr std::string_view kScheme = "scrypt";
constexpr std::size_t kSaltBytes = 16;
constexpr std::uint32_t kLargestParameter = 32;

std::string_view bytesIn(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// A hash: `scrypt$15$8$3$<salt>$<digest>`.
struct StoredHash {
  ScryptCost cost;
  std::string salt;
  std::string digest;
};

std::string_view takePart(std::string_view& text) {
  const std::size_t end = std::min(text.find('$'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool readParameter(std::string_view text, std::uint32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out > 0 &&
         out <= kLargestParameter;
}

std::optional<StoredHash> parseHash(std::string_view text) {
  if (takePart(text) != kScheme) return std::nullopt;
  StoredHash stored;
  for (std::uint32_t* parameter : {&stored.cost.log_n, &stored.cost.r, &stored.cost.p}) {
    if (!readParameter(takePart(text), *parameter)) return std::nullopt;
  }
  std::optional<std::string> salt = decodeBase64Url(takePart(text));
  std::optional<std::string> digest = decodeBase64Url(takePart(text));
  if (!salt || !digest || digest->size() != sizeof(Sha256)) return std::nullopt;
  stored.salt = *std::move(salt);
  stored.digest = *std::move(digest);
  return stored;
}

}  // namespace

class PasswordHasher::Turn {
 public:
  explicit Turn(PasswordHasher& hasher) : hasher_(hasher) {
    const MutexLock lock(hasher_.mutex_);
    if (hasher_.running_ >= hasher_.limits_.running &&
        hasher_.waiting_ >= hasher_.limits_.waiting) {
      return;
    }
    ++hasher_.waiting_;
    while (hasher_.running_ >= hasher_.limits_.running) hasher_.free_.wait(hasher_.mutex_);
    --hasher_.waiting_;
    ++hasher_.running_;
    granted_ = true;
  }
  ~Turn() {
    if (!granted_) return;
    {
      const MutexLock lock(hasher_.mutex_);
      --hasher_.running_;
    }
    hasher_.free_.notifyOne();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool granted() const { return granted_; }

 private:
  PasswordHasher& hasher_;
  bool granted_ = false;
};

PasswordHasher::PasswordHasher(const Sha256& server_key,
                               ScryptCost cost,
                               PasswordHasherLimits limits)
    : server_key_(server_key), cost_(cost), limits_(limits) {}

Result<Sha256> PasswordHasher::digestOf(const Secret& password,
                                        std::string_view salt,
                                        const ScryptCost& cost) {
  const Turn turn(*this);
  if (!turn.granted()) {
    return Error::unavailable("Too many passwords are being checked, try again shortly.");
  }
  const Sha256 derived = TRY(scrypt(password.reveal(), salt, cost));
  return hmacSha256(bytesIn(server_key_), bytesIn(derived));
}

Result<std::string> PasswordHasher::hash(const Secret& password) {
  std::array<char, kSaltBytes> random{};
  randomBytes(random.data(), random.size());
  const std::string_view salt(random.data(), random.size());
  const Sha256 digest = TRY(digestOf(password, salt, cost_));
  std::string text(kScheme);
  for (const std::uint32_t parameter : {cost_.log_n, cost_.r, cost_.p}) {
    text += "$" + std::to_string(parameter);
  }
  return text + "$" + encodeBase64Url(salt) + "$" + encodeBase64Url(bytesIn(digest));
}

Result<bool> PasswordHasher::matches(const Secret& password, std::string_view hash) {
  const std::optional<StoredHash> stored = parseHash(hash);
  if (!stored) {
    TRY(digestOf(password, "no password", cost_));
    return false;
  }
  const Sha256 digest = TRY(digestOf(password, stored->salt, stored->cost));
  return equalInConstantTime(bytesIn(digest), stored->digest);
}

}  // namespace spindle::identity
