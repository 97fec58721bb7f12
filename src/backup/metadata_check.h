#pragma once

#include <string>

namespace spindle::backup {

/// Throws when metadata.sqlite is missing, empty or without tables although other data of a
/// deployment exists, or when a quick check finds damage. The message names the file and contains
/// advice. Large databases are only opened, not checked, because the check runs at every start.
/// Call before the database is opened for use. @throws std::runtime_error
void requireIntactMetadata(const std::string& data_folder);

/// Throws when metadata exists but the secret key with which it was written is missing. A new key
/// could decrypt nothing. @throws std::runtime_error
void requireSecretKey(const std::string& data_folder);

}  // namespace spindle::backup
