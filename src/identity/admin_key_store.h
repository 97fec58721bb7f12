#pragma once

#include <string>

#include "base/secret.h"

namespace spindle::storage {
class DataFolder;
}

namespace spindle::identity {

class ApiKeyRepository;
class UserRepository;

inline constexpr const char* kAdminUsername = "admin";

/// What a start did about the first user and its key.
struct AdminKey {
  std::string user_id;
  Secret key;          ///< the text, for the operator; empty when the server cannot show it
  std::string file;    ///< where it is kept; empty when it was given
  bool fresh = false;  ///< made by this very start
  bool valid = true;   ///< false: the key in the file has been revoked since
};

/// Makes sure that there is an administrator and that the operator has a key for it. Runs at every
/// start, after the migrations; doing it again changes nothing.
///
/// A given key (SPINDLE_ADMIN_API_KEY) becomes the administrator's; the one given at an earlier
/// start, if it differs, is revoked. Without a given key one is generated once and kept in the file
/// `admin-api-key` of the data folder. A key of that file which was revoked stays revoked: remove
/// the file to get a new one.
/// @throws std::runtime_error for a given key that is too short or has blanks, and when the
/// database or the folder fails.
AdminKey ensureAdmin(UserRepository& users,
                     ApiKeyRepository& keys,
                     const storage::DataFolder& folder,
                     const Secret& given);

}  // namespace spindle::identity
