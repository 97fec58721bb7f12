#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "identity/types/user.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// SQL access to users: people and service accounts. Thread-safe; calls block on the database.
/// Every method may also return kUnavailable. A write is durable when the method returns.
class UserRepository {
 public:
  UserRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Creates a person.
  /// @return kInvalidArgument for an invalid user name or e-mail address, kConflict
  /// (`username_taken`, `email_taken`).
  Result<User> insert(const NewUser& user);

  /// @return kNotFound.
  Result<User> find(std::string_view id);
  /// Finds a user by name, ignoring case. @return kNotFound.
  Result<User> findByUsername(std::string_view username);

  /// Lists the users whose user name or e-mail address contains the text, ignoring case.
  Result<Page<User>> list(std::string_view text, const PageRequest& page);

  /// Changes a user. A suspension refuses the keys of the user until it is resumed, and ends its
  /// sessions and sign-in codes for good.
  /// @return kNotFound, kPreconditionFailed, kInvalidArgument for an invalid e-mail address,
  /// kConflict (`email_taken`; `last_admin`; `service_account`: a service account has no e-mail
  /// address and cannot be organization admin).
  Result<User> update(std::string_view id, const UserChange& change, IfVersion if_version = {});

  /// Deletes a user with its keys, memberships and preferences.
  /// @return kNotFound, kPreconditionFailed, kConflict (`last_admin`).
  Result<void> remove(std::string_view id, IfVersion if_version = {});

  /// Returns true if no user exists yet.
  Result<bool> isEmpty();

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::identity
