#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "base/crypto/secret.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// SQL access to password hashes and one-time sign-in codes. Thread-safe; calls block on the
/// database. Every method may also return kUnavailable.
class CredentialRepository {
 public:
  /// The time for which a sign-in code is valid.
  static constexpr std::chrono::minutes kCodeLifetime{15};

  /// `server_key` is derived from the server's secret key for this purpose only.
  CredentialRepository(storage::Database& database, const Clock& clock, const Sha256& server_key)
      : database_(database), clock_(clock), server_key_(server_key) {}

  /// Returns the hash of the user's password, or nothing.
  Result<std::optional<std::string>> findPassword(std::string_view user_id);
  /// Stores the hash of a new password. Ends all sessions of the user and voids its sign-in codes.
  /// @return kNotFound, kConflict (`service_account`: only persons have passwords).
  Result<void> setPassword(std::string_view user_id, std::string_view hash);

  /// Creates a code that signs the user in once. The server stores its digest only.
  /// @return kNotFound, kConflict (`service_account`).
  Result<Secret> issueCode(std::string_view user_id);
  std::string digestOfCode(std::string_view code) const;

  /// Returns true if the user has ever opened a session.
  Result<bool> hasSignedIn(std::string_view user_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sha256 server_key_;
};

}  // namespace spindle::identity
