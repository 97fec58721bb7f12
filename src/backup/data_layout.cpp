#include "backup/data_layout.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>

#include "backup/files.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAsidePrefix = "set-aside-";
constexpr std::size_t kMostOtherFiles = 10'000;

bool hasFiles(const std::string& folder) {
  std::error_code problem;
  fs::recursive_directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    std::error_code unreadable;
    if (entry->is_regular_file(unreadable)) return true;
  }
  return false;
}

/// Returns true if the file is not empty. SQLite treats an empty file as a new database.
bool isNonEmptyFile(const std::string& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem) && fs::file_size(path, problem) > 0 && !problem;
}

}  // namespace

EntryKind kindOf(std::string_view name) {
  static const std::set<std::string_view> transient = {
      "lock",           "run",       "adapters",   "peft-adapters", "trainer",
      kBlobCacheFolder, kMoveFolder, kSettingsFile};
  if (name.starts_with(kMetadataFile)) return EntryKind::kMetadata;
  if (name == kTracesFolder) return EntryKind::kTraces;
  if (name == kBlobsFolder) return EntryKind::kBlobs;
  if (name == kSecretKeyFile || name == kAdminKeyFile) return EntryKind::kSecret;
  if (transient.contains(name) || name.ends_with(".new") || name.starts_with(kAsidePrefix)) {
    return EntryKind::kTransient;
  }
  return EntryKind::kOther;
}

std::vector<std::string> otherFiles(const std::string& data_folder) {
  std::vector<std::string> found;
  for (const auto& top : fs::directory_iterator(data_folder)) {
    const std::string name = top.path().filename().string();
    if (kindOf(name) != EntryKind::kOther) continue;
    if (top.is_regular_file()) found.push_back(name);
    if (!top.is_directory() || top.is_symlink()) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top.path())) {
      if (entry.is_regular_file() && !entry.is_symlink()) {
        found.push_back(entry.path().lexically_relative(data_folder).string());
      }
      if (found.size() > kMostOtherFiles) {
        throw std::runtime_error(top.path().string() +
                                 " does not belong to the data folder: move it elsewhere");
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> dataBesideMetadata(const std::string& data_folder) {
  std::vector<std::string> found;
  for (const std::string_view name : {kTracesFolder, kBlobsFolder}) {
    const std::string path = data_folder + "/" + std::string(name);
    if (hasFiles(path)) found.emplace_back(name);
  }
  const std::string log = std::string(kMetadataFile) + "-wal";
  if (isNonEmptyFile(data_folder + "/" + log)) found.push_back(log);
  return found;
}

void requireMetadata(const std::string& data_folder) {
  const std::string path = data_folder + "/" + std::string(kMetadataFile);
  if (isNonEmptyFile(path)) return;
  std::error_code problem;
  if (fs::exists(path, problem) && !fs::is_regular_file(path, problem)) {
    throw std::runtime_error(path + " is not a file: restore it with `spindle restore BACKUP`");
  }
  const std::vector<std::string> others = dataBesideMetadata(data_folder);
  if (others.empty()) return;
  std::string list;
  for (const std::string& name : others) list += (list.empty() ? "" : ", ") + name;
  throw std::runtime_error(
      path + (fs::exists(path, problem) ? " is empty" : " is missing") +
      ", but the data folder holds data that belongs to it (" + list +
      "). Do one of these:\n"
      "  spindle restore BACKUP --replace   restore the data folder from a backup\n"
      "  SPINDLE_METADATA=postgres://...    if the metadata of this deployment is on PostgreSQL\n"
      "  spindle serve --start-empty        start with an empty server; everything in the data "
      "folder is moved "
      "into a folder set-aside-... in it");
}

std::string compactTime(Timestamp time) {
  std::string text;
  for (const char c : formatTimestamp(time)) {
    if (c == '.') break;
    if (c != '-' && c != ':') text += c;
  }
  if (!text.ends_with('Z')) text += 'Z';
  return text;
}

std::string setAside(const std::string& data_folder, Timestamp now) {
  std::string name = std::string(kAsidePrefix) + compactTime(now);
  const std::string target = data_folder + "/" + name;
  std::vector<fs::path> moving;
  for (const auto& entry : fs::directory_iterator(data_folder)) {
    if (kindOf(entry.path().filename().string()) != EntryKind::kTransient) {
      moving.push_back(entry.path());
    }
  }
  if (moving.empty()) return {};
  makeFolder(target);
  for (const fs::path& path : moving)
    renameTo(path.string(), target + "/" + path.filename().string());
  syncFolder(target);
  syncFolder(data_folder);
  return name;
}

}  // namespace spindle::backup
