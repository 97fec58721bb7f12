#pragma once

#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/types/user.h"
#include "storage/database/forward.h"

// The insertion of people, for the repositories of this area.
namespace spindle::identity {

/// Creates a person within a transaction.
/// @return kInvalidArgument for an invalid user name or e-mail address, kConflict
/// (`username_taken`, `email_taken`).
Result<User> insertUser(storage::Session& session, const NewUser& user, Timestamp now);

/// Records a change of a user in the audit log.
Result<void> recordUserChange(storage::Session& session,
                              std::string_view action,
                              const User& user,
                              Timestamp now);

Error invalidEmail();
Error emailTaken();

}  // namespace spindle::identity
