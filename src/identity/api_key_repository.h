#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/result.h"
#include "base/time.h"
#include "identity/api_key.h"
#include "identity/page.h"
#include "identity/user.h"

namespace spindle::storage {
class Database;
}

namespace spindle::identity {

/// What a valid key says about its bearer.
struct KeyBearer {
  std::string user_id;
  std::string username;
  std::string api_key_id;  ///< the id of the ApiKey
  std::string key_id;
  std::string team_id;  ///< of a user with exactly one team; else empty
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> last_used_at;
};

/// Where the operator put a key for the administrator.
enum class KeySource { kEnvironment, kFile };

/// API keys, stored as keyed hashes. Thread-safe; calls block on the database. Every method may
/// also return kUnavailable. A key that was removed is refused from that moment on.
class ApiKeyRepository {
 public:
  /// `server_key` is derived from the server's secret key for this purpose alone.
  ApiKeyRepository(storage::Database& database, const Clock& clock, const Sha256& server_key)
      : database_(database), clock_(clock), server_key_(server_key) {}

  /// @return kInvalidArgument for a name against the rules or an expiry in the past, kConflict when
  /// the owner has a key of that name, kNotFound when there is no such owner.
  Result<IssuedKey> issue(const NewApiKey& key);

  struct NewAccount {
    User account;
    IssuedKey key;
  };
  /// A service account with its first key, both or neither.
  /// @return kInvalidArgument for a description against the rules or the viewer role, kConflict
  /// when the team has an account of that description or is gone.
  Result<NewAccount> issueForServiceAccount(const NewServiceAccount& account);

  /// @return kNotFound.
  Result<ApiKey> find(std::string_view id);
  Result<Page<ApiKey>> list(std::string_view owner_id, const PageRequest& page);

  /// Revokes the key. @return kNotFound.
  Result<void> remove(std::string_view id);

  /// Who presents the key with this digest, expired or not; nothing when there is no such key.
  Result<std::optional<KeyBearer>> findBearer(std::string_view digest);

  /// Returns whether the user has a key with this public part that has not expired.
  Result<bool> isValid(std::string_view owner_id, std::string_view key_id);

  /// Notes when keys were used. Pairs of ApiKey id and time.
  Result<void> recordUses(const std::vector<std::pair<std::string, Timestamp>>& uses);

  /// Makes a key that the operator has chosen valid for the owner. Idempotent. From the environment
  /// it takes the place of the key the environment gave before, which is revoked, and is valid
  /// whatever happened to it; from a file it stands beside others, and once revoked stays revoked.
  /// @return whether the key is valid now; kConflict when it is another user's key.
  Result<bool> install(std::string_view owner_id, std::string_view text, KeySource source);

  std::string digestOf(std::string_view text) const { return digestOfKey(server_key_, text); }

  /// See storage::Database::changeToken().
  std::optional<std::uint64_t> changeToken();

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sha256 server_key_;
};

}  // namespace spindle::identity
