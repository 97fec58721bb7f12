#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "identity/api_key_repository.h"
#include "identity/validated_cache.h"

namespace spindle::identity {

/// Who presents a key.
struct Bearer {
  std::string user_id;
  std::string username;
  std::string key_id;      ///< the part of the key that may be shown
  std::string api_key_id;  ///< the id of the ApiKey, as `DELETE /api-keys/{id}` takes it
  std::string team_id;     ///< of a user with exactly one team; else empty
};

/// Tells from an API key who is asking. Answers come from memory while the database is unchanged (a
/// few microseconds with SQLite); any change, by any process, makes it ask again, so a revoked key
/// is refused at the next request. Expiry is checked every time. Thread-safe; may block on the
/// database.
class Authenticator {
 public:
  Authenticator(ApiKeyRepository& keys, const Clock& clock) : keys_(keys), clock_(clock) {}

  /// @return kUnauthenticated for anything but a valid key, kUnavailable.
  Result<Bearer> authenticate(std::string_view key);

  /// Writes down which keys were used since the last call. Call about once a minute and at the end.
  Result<void> flushUses();

 private:
  void noteUse(const KeyBearer& bearer, Timestamp now);

  ApiKeyRepository& keys_;
  const Clock& clock_;
  ValidatedCache<KeyBearer> cache_;  // by digest

  Mutex uses_mutex_;
  std::unordered_map<std::string, Timestamp> uses_ SPINDLE_GUARDED_BY(uses_mutex_);
};

}  // namespace spindle::identity
