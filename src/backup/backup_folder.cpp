#include "backup/backup_folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "backup/data_layout.h"
#include "backup/files.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = "spindle-backup";
constexpr std::string_view kMarkerText = "Spindle backup folder, format 1\n";
constexpr std::string_view kEnding = ".manifest";
constexpr std::uint64_t kLargestManifest = 1UL << 30;

std::string withoutSlash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

void requirePrivate(const std::string& path) {
  if (::chmod(path.c_str(), S_IRWXU) != 0) {
    throw std::runtime_error("cannot make " + path + " private: it belongs to another user");
  }
}

void create(const std::string& path) {
  std::error_code problem;
  if (fs::exists(path, problem) && !fs::is_directory(path, problem)) {
    throw std::runtime_error(path + " is not a folder");
  }
  if (fs::exists(path + "/" + std::string(kMarker), problem)) return;
  if (fs::is_directory(path, problem) && !fs::is_empty(path, problem)) {
    throw std::runtime_error(path + " is neither empty nor a backup folder: choose another one");
  }
  makeFolder(path);
  requirePrivate(path);
  replaceFile(path + "/" + std::string(kMarker), kMarkerText);
}

}  // namespace

bool BackupFolder::isBackupFolder(const std::string& path) {
  std::error_code problem;
  return fs::is_regular_file(path + "/" + std::string(kMarker), problem);
}

BackupFolder::BackupFolder(std::string path, Use use)
    : path_(withoutSlash(std::move(path))), objects_(path_) {
  if (use == Use::kWrite) create(path_);
  if (!isBackupFolder(path_)) {
    throw std::runtime_error(path_ + " is not a backup folder: `spindle backup FOLDER` makes one");
  }
  if (readWhole(path_ + "/" + std::string(kMarker), 4096) != kMarkerText) {
    throw std::runtime_error(path_ + "/" + std::string(kMarker) +
                             " is damaged, or was written by a newer version of Spindle");
  }
  if (use == Use::kRead) return;
  Result<std::unique_ptr<FileLock>> lock = FileLock::take(path_ + "/lock");
  if (!lock) throw std::runtime_error("cannot lock " + lock.error().message());
  if (*lock == nullptr) throw std::runtime_error(path_ + ": another backup into it is under way");
  lock_ = *std::move(lock);
  requirePrivate(path_);
  makeFolder(path_ + "/points");
  objects_.prepare();
}

std::string BackupFolder::manifestPath(const std::string& point) const {
  return path_ + "/points/" + point + std::string(kEnding);
}

std::vector<std::string> BackupFolder::points() const {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator entry(path_ + "/points", problem), end; !problem && entry != end;
       entry.increment(problem)) {
    std::string name = entry->path().filename().string();
    if (!name.ends_with(kEnding)) continue;
    name.resize(name.size() - kEnding.size());
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string BackupFolder::newPoint(Timestamp now) const {
  const std::vector<std::string> names = points();
  std::uint64_t number = 0;
  if (!names.empty()) {
    const std::string& newest = names.back();
    std::from_chars(newest.data(), newest.data() + newest.size(), number);
  }
  return fmt::format("{:06}-{}", number + 1, compactTime(now));
}

Result<Manifest> BackupFolder::load(const std::string& point) const {
  const std::vector<std::string> known = points();
  if (std::find(known.begin(), known.end(), point) == known.end()) {
    return Error::notFound("there is no backup point " + point + " in " + path_ +
                           ": `spindle backup FOLDER --list` shows those there are");
  }
  std::string text;
  try {
    text = readWhole(manifestPath(point), kLargestManifest);
  } catch (const std::runtime_error& problem) {
    return Error::invalidArgument(problem.what());
  }
  Result<Manifest> manifest = parseManifest(text);
  if (!manifest) {
    return Error::invalidArgument("points/" + point + std::string(kEnding) + ": " +
                                  manifest.error().message());
  }
  if (manifest->point != point) {
    return Error::invalidArgument("points/" + point + std::string(kEnding) +
                                  " is the manifest of another point");
  }
  return manifest;
}

void BackupFolder::save(const Manifest& manifest) {
  replaceFile(manifestPath(manifest.point), manifestText(manifest));
}

Result<std::vector<BackedUpBlob>> BackupFolder::blobsOf(const Manifest& manifest) const {
  std::string text;
  const ChunkedFile& index = manifest.blob_index;
  for (std::size_t i = 0; i < index.chunks.size(); ++i) {
    const std::string problem = objects_.read(index.chunks[i], index.chunkSize(i),
                                              [&text](std::string_view piece) { text += piece; });
    if (!problem.empty()) return Error::invalidArgument(problem);
  }
  return parseBlobIndex(text);
}

BackupFolder::Pruned BackupFolder::prune(std::size_t keep) {
  const std::vector<std::string> names = points();
  Pruned pruned;
  if (names.size() <= keep) return pruned;
  const auto first_kept = names.end() - static_cast<std::ptrdiff_t>(keep);
  std::set<Sha256> wanted;
  for (auto name = first_kept; name != names.end(); ++name) {
    const Result<Manifest> manifest = load(*name);
    if (!manifest) throw std::runtime_error(manifest.error().message());
    for (const ChunkedFile& file : manifest->files) {
      wanted.insert(file.chunks.begin(), file.chunks.end());
    }
    wanted.insert(manifest->blob_index.chunks.begin(), manifest->blob_index.chunks.end());
    const Result<std::vector<BackedUpBlob>> blobs = blobsOf(*manifest);
    if (!blobs) throw std::runtime_error(blobs.error().message());
    for (const BackedUpBlob& blob : *blobs) wanted.insert(blob.digest);
  }
  for (auto name = names.begin(); name != first_kept; ++name, ++pruned.points) {
    fs::remove(manifestPath(*name));
  }
  // Sync first, so that no manifest refers to a removed object, even after a power failure.
  syncFolder(path_ + "/points");
  for (const Sha256& digest : objects_.list()) {
    if (wanted.contains(digest)) continue;
    pruned.bytes += objects_.find(digest).value_or(0);
    objects_.remove(digest);
    ++pruned.objects;
  }
  return pruned;
}

}  // namespace spindle::backup
