#include "backup/restore.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "backup/data_layout.h"
#include "backup/files.h"
#include "backup/point_check.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kProblemsShown = 10;
constexpr std::string_view kLockName = "lock";

[[noreturn]] void refuse(const std::string& what, const CheckReport& report) {
  std::string text = what;
  for (std::size_t i = 0; i < report.problems.size() && i < kProblemsShown; ++i) {
    text += "\n  " + report.problems[i];
  }
  if (report.problems.size() > kProblemsShown) {
    text += fmt::format("\n  and {} more", report.problems.size() - kProblemsShown);
  }
  throw std::runtime_error(text);
}

/// Returns true if the folder contains anything except an unused lock file.
bool isOccupied(const std::string& folder) {
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().filename() != kLockName) return true;
  }
  return false;
}

void writeBlobs(const BackupFolder& source, const Manifest& manifest, const std::string& folder) {
  makeFolder(folder);
  const Result<std::vector<BackedUpBlob>> blobs = source.blobsOf(manifest);
  if (!blobs) throw std::runtime_error(blobs.error().message());
  for (const BackedUpBlob& blob : *blobs) {
    const std::string digits = toHex(blob.digest);
    const std::string prefix_folder = folder + "/" + digits.substr(0, 2);
    makeFolder(prefix_folder);
    NewFile out(prefix_folder + "/" + digits.substr(2));
    const std::string problem = source.objects().read(
        blob.digest, blob.size, [&out](std::string_view piece) { out.write(piece); });
    if (!problem.empty()) throw std::runtime_error(problem);
  }
}

CheckReport checkRestored(const std::string& folder,
                          const Manifest& manifest,
                          const CheckOptions& check) {
  CheckOptions options = check;
  options.metadata = manifest.metadata;
  options.blobs = manifest.blobs_included;
  CheckReport report = checkDataFolder(folder, options);
  // Blobs that were lost before the backup are not an error of the backup.
  for (const Sha256& lost : manifest.lost_blobs) {
    const std::string digits = toHex(lost);
    std::vector<std::string> others;
    for (std::string& problem : report.problems) {
      const bool known = problem.find(digits) != std::string::npos;
      (known ? report.notes : others).push_back(std::move(problem));
    }
    report.problems = std::move(others);
  }
  return report;
}

/// Moves the entries of one folder into another, the database last, because no server starts
/// without it.
void moveEntries(const std::string& from, const std::string& to) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(from)) entries.push_back(entry.path());
  const auto move = [&](const fs::path& path) {
    renameTo(path.string(), to + "/" + path.filename().string());
  };
  for (const fs::path& path : entries) {
    if (path.filename() != kMetadataFile) move(path);
  }
  syncFolder(to);
  for (const fs::path& path : entries) {
    if (path.filename() == kMetadataFile) move(path);
  }
  syncFolder(to);
}

/// Moves the content of the data folder aside. @return its new path.
std::string moveAside(const RestoreOptions& options) {
  const std::string& folder = options.data_folder;
  std::string moved = folder + ".before-restore-" + compactTime(options.now);
  if (::rename(folder.c_str(), moved.c_str()) == 0) return moved;
  // A mount point cannot be renamed, but its entries can.
  return folder + "/" + setAside(folder, options.now);
}

/// Moves the new folder to its final place. @return the path of the old one.
std::string install(const std::string& fresh, const RestoreOptions& options) {
  const std::string& folder = options.data_folder;
  const std::string parent = fs::absolute(folder).parent_path().string();
  const bool occupied = isOccupied(folder);
  if (occupied &&
      ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
    // An atomic exchange: a server finds a data folder here at any time.
    std::string moved = folder + ".before-restore-" + compactTime(options.now);
    renameTo(fresh, moved);
    syncFolder(parent);
    return moved;
  }
  std::string moved = occupied ? moveAside(options) : std::string();
  std::error_code problem;
  fs::remove(folder + "/" + std::string(kLockName), problem);
  if (::rename(fresh.c_str(), folder.c_str()) != 0) {
    const int reason = errno;
    if (!fs::is_directory(folder, problem)) {
      throw std::runtime_error(fmt::format("cannot rename {} to {}: {}", fresh, folder,
                                           std::generic_category().message(reason)));
    }
    moveEntries(fresh, folder);
    fs::remove(fresh, problem);
  }
  syncFolder(parent);
  return moved;
}

/// Returns a new folder beside the data folder, or inside it if it is a mount point.
std::string freshFolder(const std::string& data_folder) {
  const std::string beside = data_folder + ".restoring";
  std::error_code problem;
  const fs::path parent = fs::absolute(data_folder).parent_path();
  makeFolder(parent.string());
  const bool mounted =
      fs::is_directory(data_folder, problem) && ::access(parent.c_str(), W_OK) != 0;
  std::string chosen = mounted ? data_folder + "/restoring.new" : beside;
  fs::remove_all(chosen);
  makeFolder(chosen);
  return chosen;
}

}  // namespace

RestoreOutcome restorePoint(const BackupFolder& source,
                            const Manifest& manifest,
                            const RestoreOptions& options) {
  if (isOccupied(options.data_folder) && !options.replace) {
    throw std::runtime_error(
        options.data_folder +
        " is not empty: choose another --data-dir, or move its content aside with --replace");
  }
  std::set<Sha256> known;
  options.check.say("checking the backup");
  const CheckReport objects = checkObjects(source, manifest, known);
  if (!objects.clean()) {
    refuse("the backup point " + manifest.point + " is damaged; nothing was restored:", objects);
  }
  options.check.say("writing the data folder");
  const std::string fresh = freshFolder(options.data_folder);
  RestoreOutcome outcome;
  try {
    for (const ChunkedFile& file : manifest.files) {
      assembleFile(source, file, fresh + "/" + file.path);
    }
    writeBlobs(source, manifest, fresh + "/" + std::string(kBlobsFolder));
    outcome.report = checkRestored(fresh, manifest, options.check);
    if (!outcome.report.clean()) {
      refuse("the backup point " + manifest.point + " does not produce a valid data folder:",
             outcome.report);
    }
    syncFileSystem(fresh);
  } catch (const std::exception&) {
    std::error_code problem;
    fs::remove_all(fresh, problem);
    throw;
  }
  outcome.moved_to = install(fresh, options);
  outcome.report.notes.insert(outcome.report.notes.end(), objects.notes.begin(),
                              objects.notes.end());
  return outcome;
}

}  // namespace spindle::backup
