#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "identity/store/page.h"
#include "identity/types/api_key.h"
#include "identity/types/user.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// The owner of an API key, and the expiry and last use of the key.
struct ApiKeyOwner {
  std::string user_id;
  std::string username;
  std::string api_key_id;  ///< the id of the ApiKey
  std::string key_id;
  std::string team_id;  ///< the only team of the user; empty for none or several
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> last_used_at;
};

/// Source of a key that the operator gives to the administrator.
enum class KeySource { kEnvironment, kFile };

/// SQL access to API keys, which are stored as keyed hashes. Thread-safe; calls block on the
/// database. Every method may also return kUnavailable. A removed key is rejected from that moment
/// on.
class ApiKeyRepository {
 public:
  /// `server_key` is derived from the server's secret key for this purpose only.
  ApiKeyRepository(storage::Database& database, const Clock& clock, const Sha256& server_key)
      : database_(database), clock_(clock), server_key_(server_key) {}

  /// Creates a key.
  /// @return kInvalidArgument for an invalid name or an expiry in the past, kConflict when the
  /// owner has a key with that name, kNotFound when the owner does not exist.
  Result<IssuedKey> issue(const NewApiKey& key);

  struct NewAccount {
    User account;
    IssuedKey key;
  };
  /// Creates a service account and its first key in one transaction.
  /// @return kInvalidArgument for an invalid description or the viewer role, kConflict when the
  /// team has an account with that description or does not exist.
  Result<NewAccount> issueForServiceAccount(const NewServiceAccount& account);

  /// @return kNotFound.
  Result<ApiKey> find(std::string_view id);
  Result<Page<ApiKey>> list(std::string_view owner_id, const PageRequest& page);

  /// Revokes the key. @return kNotFound.
  Result<void> remove(std::string_view id);

  /// Returns the owner of the key with this digest, even if the key has expired. Returns nothing
  /// when no key has the digest, or when its owner is suspended.
  Result<std::optional<ApiKeyOwner>> findOwner(std::string_view digest);

  /// Returns whether the user is not suspended and has a key with this public part that has not
  /// expired.
  Result<bool> isValid(std::string_view owner_id, std::string_view key_id);

  /// Stores the times at which keys were used, as pairs of ApiKey id and time.
  Result<void> recordUses(const std::vector<std::pair<std::string, Timestamp>>& uses);

  /// Makes a key that the operator chose valid for the owner. Idempotent. A key from the
  /// environment replaces the previous key from the environment, which is revoked; it becomes valid
  /// even if it was revoked before. A key from a file is added to the other keys; once revoked, it
  /// stays revoked.
  /// @return true if the key is valid now; kConflict when the key belongs to another user.
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
