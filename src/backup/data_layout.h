#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::backup {

// Names of the data folder.
inline constexpr std::string_view kMetadataFile = "metadata.sqlite";
inline constexpr std::string_view kTracesFolder = "traces";
inline constexpr std::string_view kBlobsFolder = "files";
inline constexpr std::string_view kBlobCacheFolder = "blob-cache";
inline constexpr std::string_view kMoveFolder = "migration";  ///< of a running `spindle migrate`
inline constexpr std::string_view kSecretKeyFile = "secret-key";
inline constexpr std::string_view kAdminKeyFile = "admin-api-key";
inline constexpr std::string_view kSettingsFile = "settings-of-backup.toml";

/// How a backup treats an entry of the data folder.
enum class EntryKind {
  kMetadata,   ///< the SQLite database and its log: copied through SQLite
  kTraces,     ///< the columnar store: copied through a hold
  kBlobs,      ///< copied one by one
  kSecret,     ///< copied unless secrets are excluded
  kTransient,  ///< locks, sockets and caches: rebuilt by the server, never copied
  kOther,      ///< copied unchanged
};

/// Classifies a name directly below the data folder.
EntryKind kindOf(std::string_view name);

/// Returns the files of kind kOther, relative to the data folder, sorted.
std::vector<std::string> otherFiles(const std::string& data_folder);

/// Returns the names in a data folder that show that metadata.sqlite must exist: traces, blobs, or
/// the log of the database. Empty for a new folder.
std::vector<std::string> dataBesideMetadata(const std::string& data_folder);

/// Throws when the data folder has data but no metadata; the message contains advice. A start would
/// create an empty deployment and delete the other data as unreferenced. @throws std::runtime_error
void requireMetadata(const std::string& data_folder);

/// Moves everything in the data folder except transient entries into a new folder inside it.
/// @return the name of that folder, empty if there was nothing to move. @throws std::runtime_error
std::string setAside(const std::string& data_folder, Timestamp now);

/// Formats as `20261231T120000Z`, for file names.
std::string compactTime(Timestamp time);

}  // namespace spindle::backup
