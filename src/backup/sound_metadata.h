#pragma once

#include <string>

namespace spindle::backup {

/// Throws when metadata.sqlite is missing, empty or without tables beside other data of a
/// deployment, or when a quick check finds it damaged. The message names the file and says what to
/// do. Databases that are too large to be checked at every start are only opened.
/// To be called before the database is opened for use. @throws std::runtime_error
void requireSoundMetadata(const std::string& data_folder);

/// Throws when the secret key is missing that existing metadata was written with: a new one would
/// fit nothing. @throws std::runtime_error
void requireSecretKey(const std::string& data_folder);

}  // namespace spindle::backup
