#pragma once

#include <set>
#include <string>

#include "backup/backup_folder.h"
#include "backup/folder_check.h"

namespace spindle::backup {

/// Checks that every object of a point exists and matches its digest. Skips objects in `known` and
/// adds intact ones to it, so that objects shared by several points are read once.
CheckReport checkObjects(const BackupFolder& folder,
                         const Manifest& manifest,
                         std::set<Sha256>& known);

/// Checks a point completely: its objects, then everything that checkDataFolder() checks, in a
/// temporary copy of its metadata and traces inside the backup folder. The folder must be open for
/// writing.
CheckReport checkPoint(BackupFolder& folder,
                       const Manifest& manifest,
                       const CheckOptions& options,
                       std::set<Sha256>& known);

/// Writes a file of a point to `path`. @throws std::runtime_error when an object is missing or
/// damaged.
void assembleFile(const BackupFolder& folder, const ChunkedFile& file, const std::string& path);

}  // namespace spindle::backup
