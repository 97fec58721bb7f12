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
#include "identity/types/session.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// The user of a session, and the times that decide whether the session is valid.
struct SessionOwner {
  std::string session_id;
  std::string user_id;
  std::string username;
  std::string team_id;  ///< the only team of the user; empty for none or several
  std::string key_id;   ///< of the API key that the session was opened with; empty for none
  std::optional<Timestamp> key_expires_at;
  Timestamp expires_at;
  Timestamp last_used_at;
};

/// SQL access to browser sessions, whose tokens are stored as keyed hashes. Thread-safe; calls
/// block on the database. Every method may also return kUnavailable. A removed session is rejected
/// from that moment on. A session is removed with its user, and with the API key it was opened
/// with.
class SessionRepository {
 public:
  /// The most sessions of one user. A further one replaces the session that was not used for the
  /// longest time.
  static constexpr int kMaxPerUser = 50;

  /// `server_key` is derived from the server's secret key for this purpose only.
  SessionRepository(storage::Database& database, const Clock& clock, const Sha256& server_key)
      : database_(database), clock_(clock), server_key_(server_key) {}

  /// Stores a session and the time of the sign-in. @return kNotFound when the user does not exist,
  /// kUnauthenticated when it is suspended.
  Result<UserSession> insert(const NewSession& session, std::string_view token);

  /// Uses up a sign-in code and stores a session of its user, in one transaction. Ignores
  /// `session.user_id`. `code_digest` is a digest of CredentialRepository.
  /// @return kUnauthenticated for a code that is unknown, used or expired.
  Result<UserSession> insertWithCode(NewSession session,
                                     std::string_view token,
                                     std::string_view code_digest);

  /// Returns the owner of the session with this token, even if it has expired. Returns nothing when
  /// no session has the token, or when its user is suspended.
  Result<std::optional<SessionOwner>> findOwner(std::string_view digest);
  /// As findOwner(), by the id of the session.
  Result<std::optional<SessionOwner>> findOwnerById(std::string_view id);

  /// @return kNotFound.
  Result<UserSession> find(std::string_view id);
  Result<Page<UserSession>> list(std::string_view user_id, const PageRequest& page);

  /// @return kNotFound.
  Result<void> remove(std::string_view id);
  /// Removes the session with this token, if there is one.
  Result<void> removeByToken(std::string_view token);
  /// Removes all sessions that expired, or were last used before `idle_since`.
  Result<void> removeExpired(Timestamp idle_since);

  /// Stores the times at which sessions were used, as pairs of session id and time.
  Result<void> recordUses(const std::vector<std::pair<std::string, Timestamp>>& uses);

  std::string digestOf(std::string_view token) const;
  /// See storage::Database::changeToken().
  std::optional<std::uint64_t> changeToken();

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sha256 server_key_;
};

/// Removes all sessions and sign-in codes of a user, as part of the caller's transaction.
Result<void> removeSignInsOf(storage::Session& session, std::string_view user_id);

}  // namespace spindle::identity
