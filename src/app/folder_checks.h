#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/finding.h"
#include "config/settings.h"
#include "storage/data_folder.h"

namespace spindle::app {

/// Is it there or can it be made, is it a folder, ours, writable, closed to others?
/// Writes nothing but a probe file that is gone at once.
Findings checkDataFolder(const std::filesystem::path& folder);

Finding checkDiskSpace(const std::filesystem::path& folder, std::uintmax_t available);

/// A running server is worth knowing and no fault.
Finding checkLock(const std::optional<storage::FolderHolder>& holder);

/// The server that has the folder, if there is one. Makes no folder.
std::optional<storage::FolderHolder> holderOf(const std::filesystem::path& folder);

/// Can both files be read? Nothing to say when TLS is not set up.
Findings checkTlsFiles(const config::ServerSettings& server);

/// Bytes free for this user where the folder is or would be; nothing when that cannot be told.
std::optional<std::uintmax_t> availableSpace(const std::filesystem::path& folder);

/// Time of a file written now, minus now; nothing when no file can be written.
std::optional<std::chrono::milliseconds> fileClockSkew(const std::filesystem::path& folder);

}  // namespace spindle::app
