#include "storage/folder/file_cache.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "base/core/log.h"
#include "base/crypto/crypto.h"
#include "base/process/durable_file.h"

namespace spindle::storage {
namespace {

namespace fs = std::filesystem;

constexpr Logger kLog("storage");
constexpr std::uint64_t kBlockBytes = 512;  ///< the unit of st_blocks

/// Returns the bytes that a file occupies: less than its size if it has holes.
std::uint64_t bytesOnDisk(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return 0;
  return std::min(static_cast<std::uint64_t>(found.st_size),
                  static_cast<std::uint64_t>(found.st_blocks) * kBlockBytes);
}

}  // namespace

FileCache::FileCache(std::string folder, std::string ending, std::uint64_t most)
    : folder_(std::move(folder)), ending_(std::move(ending)), most_(most) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (!failed) fs::permissions(folder_, fs::perms::owner_all, failed);
  if (failed) throw std::runtime_error("cannot use " + folder_ + ": " + failed.message());
  std::vector<std::pair<fs::file_time_type, fs::path>> known;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == ending_) {
      known.emplace_back(entry.last_write_time(failed), entry.path());
    } else {
      fs::remove_all(entry.path(), failed);
    }
  }
  std::sort(known.begin(), known.end());
  const MutexLock lock(mutex_);
  for (const auto& [time, path] : known) {
    Entry& entry = entries_[path.stem().string()];
    entry.bytes = bytesOnDisk(path.string());
    entry.last_used = ++uses_;
  }
  evict(most_);
}

std::string FileCache::pathOf(const std::string& name) const {
  return folder_ + "/" + name + ending_;
}

std::string FileCache::temporaryPath() const {
  return folder_ + "/making-" + randomAlphanumeric(16);
}

Result<std::shared_ptr<const CachedFile>> FileCache::get(const std::string& name,
                                                         const Make& make) {
  {
    const MutexLock lock(mutex_);
    while (making_.contains(name)) made_.wait(mutex_);
    if (std::shared_ptr<const CachedFile> known = findIn(name)) return known;
    making_.insert(name);
  }
  Result<void> written = makeFile(name, make);
  const MutexLock lock(mutex_);
  making_.erase(name);
  made_.notifyAll();
  if (!written) return std::move(written).error();
  Entry& entry = entries_[name];
  entry.bytes = bytesOnDisk(pathOf(name));
  std::shared_ptr<const CachedFile> file = hold(name, entry);
  evict(most_);
  return file;
}

std::shared_ptr<const CachedFile> FileCache::find(const std::string& name) {
  const MutexLock lock(mutex_);
  return findIn(name);
}

std::shared_ptr<const CachedFile> FileCache::findIn(const std::string& name) {
  const auto known = entries_.find(name);
  // The file may have been deleted from outside.
  if (known == entries_.end() || !fs::exists(pathOf(name))) return nullptr;
  return hold(name, known->second);
}

std::shared_ptr<const CachedFile> FileCache::hold(const std::string& name, Entry& entry) {
  entry.last_used = ++uses_;
  std::shared_ptr<const CachedFile> file = entry.held.lock();
  if (!file) {
    file = std::make_shared<const CachedFile>(CachedFile{name, pathOf(name)});
    entry.held = file;
  }
  return file;
}

Result<void> FileCache::makeFile(const std::string& name, const Make& make) const {
  const std::string beside = temporaryPath();
  Result<void> done = make(beside);
  if (done) done = moveIntoPlace(beside, pathOf(name));
  std::error_code ignored;
  if (!done) fs::remove(beside, ignored);
  return done;
}

bool FileCache::makeRoom(std::uint64_t bytes) {
  if (bytes > most_) return false;
  const MutexLock lock(mutex_);
  return evict(most_ - bytes) <= most_ - bytes;
}

std::uint64_t FileCache::evict(std::uint64_t most) {
  std::uint64_t total = 0;
  std::vector<std::pair<std::uint64_t, std::string>> oldest;
  for (const auto& [name, entry] : entries_) {
    total += entry.bytes;
    if (entry.held.expired()) oldest.emplace_back(entry.last_used, name);
  }
  std::sort(oldest.begin(), oldest.end());
  for (const auto& [use, name] : oldest) {
    if (total <= most) break;
    std::error_code failed;
    fs::remove(pathOf(name), failed);
    if (failed) kLog.warning("cached_file_not_removed", {{"file", pathOf(name)}});
    total -= entries_[name].bytes;
    entries_.erase(name);
  }
  return total;
}

std::uint64_t FileCache::bytes() const {
  const MutexLock lock(mutex_);
  std::uint64_t total = 0;
  for (const auto& [name, entry] : entries_) total += entry.bytes;
  return total;
}

}  // namespace spindle::storage
