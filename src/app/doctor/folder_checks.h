#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/doctor/finding.h"
#include "config/settings.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Checks that the data folder exists or can be created, is a writable folder, and is private to
/// its owner. Writes only a probe file and deletes it immediately.
Findings checkDataFolder(const std::filesystem::path& folder);

/// Warns below 1 GiB of available space; fails below 64 MiB.
Finding checkDiskSpace(const std::filesystem::path& folder, std::uintmax_t available);

/// Reports the server that uses the data folder. The finding is always kOk.
Finding checkLock(const std::optional<storage::FolderHolder>& holder);

/// Returns the server that uses the folder, if any. Does not create the folder.
std::optional<storage::FolderHolder> holderOf(const std::filesystem::path& folder);

/// Checks that the certificate and key files are readable. Returns nothing without TLS settings.
Findings checkTlsFiles(const config::ServerSettings& server);

/// Returns the bytes available to this user on the disk of the folder; nothing when unknown. The
/// folder need not exist.
std::optional<std::uintmax_t> availableSpace(const std::filesystem::path& folder);

/// Returns the time stamp of a new file minus the current time; nothing when no file can be
/// written.
std::optional<std::chrono::milliseconds> fileClockSkew(const std::filesystem::path& folder);

}  // namespace spindle::app
