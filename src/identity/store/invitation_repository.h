#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "base/crypto/secret.h"
#include "identity/store/page.h"
#include "identity/types/invitation.h"
#include "identity/types/user.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// SQL access to invitations. Thread-safe; calls block on the database. Every method may also
/// return kUnavailable. The audit log records every change.
class InvitationRepository {
 public:
  /// `server_key` is derived from the server's secret key for this purpose only.
  InvitationRepository(storage::Database& database, const Clock& clock, const Sha256& server_key)
      : database_(database), clock_(clock), server_key_(server_key) {}

  /// @return kInvalidArgument for an expiry in the past; kConflict (`too_many_invitations`) for
  /// more than 1000 open invitations of a team, or if the team was deleted.
  Result<IssuedInvitation> insert(const NewInvitation& invitation);

  /// Lists the invitations of a team that can still be accepted, newest first.
  Result<Page<Invitation>> list(std::string_view team_id, const PageRequest& page);

  /// @return kNotFound.
  Result<void> remove(std::string_view team_id, std::string_view id);

  /// Finds an invitation that can be accepted. @return kNotFound for a token that is unknown,
  /// expired, used or revoked, or whose creator may no longer invite people to the team.
  Result<Invitation> find(const Secret& token);

  /// Adds the membership of an existing person. A member keeps its role, and the invitation is not
  /// used. @return kNotFound as find(), kConflict (`already_member`; `service_account`).
  Result<Invitation> accept(const Secret& token, std::string_view user_id);

  /// Creates a person with this password and its membership. The user has no e-mail address.
  /// @return kNotFound as find(), kInvalidArgument for an invalid user name, kConflict
  /// (`username_taken`).
  Result<User> acceptAsNewUser(const Secret& token,
                               const NewUser& user,
                               std::string_view password_hash);

 private:
  std::string digestOf(const Secret& token) const;

  storage::Database& database_;
  const Clock& clock_;
  const Sha256 server_key_;
};

}  // namespace spindle::identity
