#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "identity/access/validated_cache.h"
#include "identity/store/session_repository.h"

namespace spindle::identity {

/// How long sessions last.
struct SessionTimes {
  std::chrono::milliseconds idle = std::chrono::hours(12);
  std::chrono::milliseconds lifetime = std::chrono::hours(7 * 24);
};

/// The user that a session identifies.
struct SessionUser {
  std::string session_id;
  std::string user_id;
  std::string username;
  /// The key_id of the API key that the session was opened with. Limits and usage of the key apply.
  /// Without a key, `session:` and the user id: all such sessions of a user share their limits.
  std::string key_id;
  std::string team_id;  ///< the only team of the user; empty for none or several
};

/// Finds the user of a session token. Results come from a cache while the database is unchanged,
/// as in Authenticator: a revoked session is rejected at the next request. Both expiries are
/// checked every time. Thread-safe; may block on the database.
class SessionAuthenticator {
 public:
  /// `csrf_key` is derived from the server's secret key for this purpose only.
  SessionAuthenticator(SessionRepository& sessions,
                       const Clock& clock,
                       const Sha256& csrf_key,
                       SessionTimes times = {})
      : sessions_(sessions), clock_(clock), csrf_key_(csrf_key), times_(times) {}

  /// Returns the user of a valid session. @return kUnauthenticated for anything else, kUnavailable.
  Result<SessionUser> authenticate(std::string_view token);

  /// Returns whether a session still identifies its user. Does not count as a use.
  Result<bool> isValid(std::string_view session_id);

  /// Returns the CSRF token of a session token. Never blocks. It does not reveal the session token.
  std::string csrfTokenOf(std::string_view token) const;

  const SessionTimes& times() const { return times_; }

  /// Stores which sessions were used since the last call. Call it about once a minute and at
  /// shutdown.
  Result<void> flushUses();
  /// Removes expired sessions from the database. Call it about once an hour.
  Result<void> removeExpired();

 private:
  bool hasEnded(const SessionOwner& owner, Timestamp now);
  bool isIdle(const SessionOwner& owner, Timestamp now);
  void recordUse(const SessionOwner& owner, Timestamp now);

  SessionRepository& sessions_;
  const Clock& clock_;
  const Sha256 csrf_key_;
  const SessionTimes times_;
  ValidatedCache<SessionOwner> cache_;  // by digest

  Mutex uses_mutex_;
  std::unordered_map<std::string, Timestamp> uses_ SPINDLE_GUARDED_BY(uses_mutex_);
};

}  // namespace spindle::identity
