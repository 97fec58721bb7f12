#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/secret.h"
#include "identity/sessions/attempt_limiter.h"
#include "identity/sessions/password_hasher.h"
#include "identity/sessions/session_authenticator.h"
#include "identity/types/session.h"
#include "identity/types/user.h"

namespace spindle::identity {

class ApiKeyRepository;
class Authenticator;
class CredentialRepository;
class SessionRepository;
class UserRepository;

/// The client that signs in.
struct SignInClient {
  std::string address;
  std::string address_block;  ///< the addresses that share a limit of attempts
  std::string user_agent;
};

/// A new session. Its token is for the cookie only.
struct OpenedSession {
  UserSession session;
  User user;
  Secret token;
};

/// The objects that SignIn uses. All must outlive it.
struct SignInPorts {
  UserRepository& users;
  ApiKeyRepository& keys;
  SessionRepository& sessions;
  CredentialRepository& credentials;
  Authenticator& key_authenticator;
  PasswordHasher& passwords;
  const Clock& clock;     ///< wall clock
  const Clock& schedule;  ///< for the limits of attempts
  /// Null when no other process counts attempts.
  cluster::SharedRates* shared_rates = nullptr;
};

/// Opens sessions for API keys, passwords and one-time codes; changes passwords. Each sign-in makes
/// a new token, so a token that an attacker planted is never signed in.
///
/// Failed attempts are limited per address. Passwords are also limited per account and address, so
/// that nobody can lock out a person from elsewhere, and much less strictly per account. Changes of
/// passwords have a limit of their own.
///
/// Thread-safe; blocks on the database, and for passwords on scrypt: worker threads only. Every
/// method may also return kUnavailable.
class SignIn {
 public:
  SignIn(const SignInPorts& ports, const SessionTimes& times);

  /// The session ends with the key. @return kUnauthenticated, kRateLimited.
  Result<OpenedSession> withKey(const Secret& api_key, const SignInClient& client);
  /// @return kUnauthenticated, whether the user does not exist, is suspended, has no password or
  /// another one; kRateLimited.
  Result<OpenedSession> withPassword(std::string_view username,
                                     const Secret& password,
                                     const SignInClient& client);
  /// @return kUnauthenticated for a code that is unknown, used or expired; kRateLimited.
  Result<OpenedSession> withCode(const Secret& code, const SignInClient& client);

  /// Opens a session for a user whom the caller has authenticated. @return kNotFound.
  Result<OpenedSession> open(std::string_view user_id,
                             const SignInClient& client,
                             std::optional<std::string> api_key_id = {});

  /// Sets the password of a user and ends all its sessions. A user with a password must give the
  /// current one. @return kPermissionDenied (`wrong_password`), kRateLimited, kConflict
  /// (`service_account`).
  Result<void> changePassword(const User& user,
                              const std::optional<Secret>& current,
                              const Secret& fresh);
  /// The same without the current password, for administrators.
  Result<void> setPassword(std::string_view user_id, const Secret& fresh);

 private:
  NewSession newSession(std::string_view user_id, const SignInClient& client) const;
  /// A limit and whom an attempt counts for.
  struct Limit {
    AttemptLimiter& limiter;
    std::string_view subject;
  };
  /// Checks a password under all of these limits. @return kRateLimited.
  Result<bool> checkPassword(std::initializer_list<Limit> limits,
                             std::string_view hash,
                             const Secret& given);

  const SignInPorts ports_;
  const SessionTimes times_;
  AttemptLimiter by_address_;
  AttemptLimiter by_account_and_address_;
  AttemptLimiter by_account_;
  AttemptLimiter by_signed_in_user_;
};

}  // namespace spindle::identity
