#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/sql_text.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/user.h"

namespace spindle::storage {
class Database;
class Row;
class Session;
}  // namespace spindle::storage

namespace spindle::identity {

/// People and service accounts. Thread-safe; calls block on the database. Every method may also
/// return kUnavailable. A write has happened, durably, when it returns.
class UserRepository {
 public:
  UserRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// @return kInvalidArgument for a name or address against the rules, kConflict (`username_taken`,
  /// `email_taken`).
  Result<User> insert(const NewUser& user);

  /// @return kNotFound.
  Result<User> find(std::string_view id);
  /// Without regard to case. @return kNotFound.
  Result<User> findByUsername(std::string_view username);

  /// Those whose user name or address contains the text, without regard to case.
  Result<Page<User>> list(std::string_view text, const PageRequest& page);

  /// Makes a person an administrator of the organization, or no longer one.
  /// @return kNotFound, kConflict (`last_admin`; `service_account`: those never administer).
  Result<User> setOrganizationAdmin(std::string_view id, bool admin);

  /// Whether there is any user yet.
  Result<bool> isEmpty();

 private:
  storage::Database& database_;
  const Clock& clock_;
};

// For the other repositories of this area:

/// The columns of a user for userAt(), of a table called `u`.
inline constexpr SqlView kUserColumns =
    "u.id AS user_id, u.username, u.email, u.name, u.kind, u.organization_admin, u.description, "
    "u.scope, u.team_id AS service_team_id, u.version AS user_version, "
    "u.created_at AS user_created_at, u.updated_at AS user_updated_at";
User userAt(const storage::Row& row);
/// Inserts without checking names. @return kConflict.
Result<void> insertUser(storage::Session& session, const User& user);
Result<User> findUser(storage::Session& session, std::string_view id);

}  // namespace spindle::identity
