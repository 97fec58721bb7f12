#pragma once

#include <set>
#include <string>

#include "backup/backup_folder.h"
#include "backup/folder_check.h"

namespace spindle::backup {

/// Checks that every object of a point is there and matches its digest. Objects in `known` are
/// taken for good; those found good are added to it, so that points that share objects are checked
/// in the time of one.
CheckReport checkObjects(const BackupFolder& folder,
                         const Manifest& manifest,
                         std::set<Sha256>& known);

/// Checks a point completely: its objects, and then what checkDataFolder() checks, in a temporary
/// copy of its metadata and traces inside the backup folder. The folder must be open for writing.
CheckReport checkPoint(BackupFolder& folder,
                       const Manifest& manifest,
                       const CheckOptions& options,
                       std::set<Sha256>& known);

/// Writes a file of a point. @throws std::runtime_error when an object is missing or damaged.
void assembleFile(const BackupFolder& folder, const ChunkedFile& file, const std::string& path);

}  // namespace spindle::backup
