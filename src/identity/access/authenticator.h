#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/access/validated_cache.h"
#include "identity/store/api_key_repository.h"

namespace spindle::identity {

/// The user that an API key identifies.
struct AuthenticatedUser {
  std::string user_id;
  std::string username;
  std::string key_id;      ///< the part of the key that may be shown
  std::string api_key_id;  ///< the id of the ApiKey, as in `DELETE /api-keys/{id}`
  std::string team_id;     ///< the only team of the user; empty for none or several
};

/// Finds the user of an API key. Results come from a cache while the database is unchanged (a few
/// microseconds with SQLite). Any change, by any process, invalidates the cache, so a revoked key
/// is rejected at the next request. The expiry is checked every time. Thread-safe; may block on the
/// database.
class Authenticator {
 public:
  Authenticator(ApiKeyRepository& keys, const Clock& clock) : keys_(keys), clock_(clock) {}

  /// Returns the user of a valid key. @return kUnauthenticated for anything else, kUnavailable.
  Result<AuthenticatedUser> authenticate(std::string_view key);

  /// Stores which keys were used since the last call. Call it about once a minute and at shutdown.
  Result<void> flushUses();

 private:
  void recordUse(const ApiKeyOwner& owner, Timestamp now);

  ApiKeyRepository& keys_;
  const Clock& clock_;
  ValidatedCache<ApiKeyOwner> cache_;  // by digest

  Mutex uses_mutex_;
  std::unordered_map<std::string, Timestamp> uses_ SPINDLE_GUARDED_BY(uses_mutex_);
};

}  // namespace spindle::identity
