#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/types/team_role.h"
#include "identity/types/user.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// A user as an identity provider describes it. All texts are untrusted.
struct ExternalIdentity {
  std::string issuer;
  std::string subject;
  std::optional<std::string> email;  ///< set only if the provider has verified it
  std::string name;
  std::string username_hint;
};

/// The rules for the first sign-in of an identity.
struct ExternalUserRules {
  bool create_users = false;
  std::string team = {};  ///< a new user becomes a member of it; empty: of none
  TeamRole role = TeamRole::kMember;
};

/// SQL access to the identities that providers have for users. Thread-safe; calls block on the
/// database and may also return kUnavailable.
class ExternalIdentityRepository {
 public:
  ExternalIdentityRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Returns the user of an identity, in one transaction with the use of `sign_in_id`, which is
  /// valid once. At the first sign-in, the identity is connected to the person with its verified
  /// e-mail address, or a new person, as the rules say. An organization admin, or a person with
  /// another identity of the issuer, is never connected by its address.
  /// @return kUnauthenticated (`replayed`) for a used `sign_in_id`; kPermissionDenied: `no_user`
  /// if there is no such person and none may be created, or the address belongs to a person who is
  /// not connected by it, `suspended`.
  Result<User> signIn(const ExternalIdentity& identity,
                      const ExternalUserRules& rules,
                      std::string_view sign_in_id,
                      Timestamp sign_in_expires_at);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::identity
