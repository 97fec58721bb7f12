#include "s3/blobs/blob_cache.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "s3/blobs/blob_rows.h"
#include "s3/blobs/log.h"

namespace spindle::s3 {
namespace {

void makeFolder(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    throw std::runtime_error("cannot create the folder " + path + ": " +
                             std::generic_category().message(errno));
  }
}

}  // namespace

BlobCache::BlobCache(std::string folder, std::uint64_t limit)
    : folder_(std::move(folder)), limit_(limit) {
  makeFolder(folder_);
  makeFolder(incomingFolder());
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(incomingFolder(), problem)) {
    std::filesystem::remove(entry.path(), problem);
  }
  if (problem) {
    throw std::runtime_error("cannot use the folder " + incomingFolder() + ": " +
                             problem.message());
  }
  loadEntries();
}

void BlobCache::loadEntries() {
  struct Found {
    std::filesystem::file_time_type changed_at;
    Sha256 name{};
    std::uint64_t size = 0;
  };
  std::vector<Found> found;
  std::error_code problem;
  for (std::filesystem::recursive_directory_iterator at(folder_, problem), end;
       !problem && at != end; at.increment(problem)) {
    const std::string digits =
        at->path().parent_path().filename().string() + at->path().filename().string();
    const std::optional<Sha256> name = parseHexName(digits);
    std::error_code unreadable;
    if (!name || !at->is_regular_file(unreadable)) continue;
    const std::uint64_t size = at->file_size(unreadable);
    const auto changed_at = at->last_write_time(unreadable);
    if (!unreadable) found.push_back({changed_at, *name, size});
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.changed_at < b.changed_at; });
  const MutexLock lock(mutex_);
  for (const Found& file : found) {
    entries_[file.name] = {file.size, by_use_.insert(by_use_.end(), file.name)};
    bytes_ += file.size;
  }
  while (!by_use_.empty() && (bytes_ > limit_ || entries_.size() > kMostFiles)) {
    removeLocked(Sha256(by_use_.front()));
  }
}

std::string BlobCache::pathOf(const Sha256& name) const {
  const std::string digits = toHex(name);
  return folder_ + "/" + digits.substr(0, 2) + "/" + digits.substr(2);
}

std::string BlobCache::newUploadPath() const {
  return incomingFolder() + "/" + randomAlphanumeric(20);
}

std::optional<LocalFile> BlobCache::open(const Sha256& name) {
  std::optional<LocalFile> file;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) return std::nullopt;
    by_use_.splice(by_use_.end(), by_use_, found->second.position);
    file = LocalFile::open(pathOf(name));
  }
  if (file) {
    const std::optional<storage::FileStamp> stamp = file->stamp();
    if (stamp && verified_.contains(name, *stamp)) return file;
    const Result<Sha256> digest = file->digest();
    if (stamp && digest && *digest == name) {
      verified_.add(name, *stamp);
      return file;
    }
  }
  kLog.warning("cached_blob_damaged", {{"digest", toHex(name)}});
  remove(name);
  return std::nullopt;
}

bool BlobCache::reserve(std::uint64_t size) {
  const MutexLock lock(mutex_);
  if (size > limit_) return false;
  while (!by_use_.empty() && (bytes_ + size > limit_ || entries_.size() >= kMostFiles)) {
    removeLocked(Sha256(by_use_.front()));
  }
  if (bytes_ + size > limit_) return false;  // the rest is reserved
  bytes_ += size;
  return true;
}

void BlobCache::release(std::uint64_t size) {
  const MutexLock lock(mutex_);
  bytes_ -= size;
}

void BlobCache::insert(const std::string& path, const Sha256& name, std::uint64_t size) {
  const std::string target = pathOf(name);
  ::mkdir(target.substr(0, target.rfind('/')).c_str(), S_IRWXU);
  const MutexLock lock(mutex_);
  if (entries_.contains(name)) removeLocked(name);
  if (::rename(path.c_str(), target.c_str()) != 0) {
    ::unlink(path.c_str());
    bytes_ -= size;
    return;
  }
  entries_[name] = {size, by_use_.insert(by_use_.end(), name)};
  if (const std::optional<LocalFile> file = LocalFile::open(target)) {
    if (const std::optional<storage::FileStamp> stamp = file->stamp()) verified_.add(name, *stamp);
  }
}

std::unique_ptr<BlobCache::Writer> BlobCache::write(std::uint64_t size) {
  if (!reserve(size)) return nullptr;
  std::string path = newUploadPath();
  Result<LocalFile> file = LocalFile::create(path);
  if (!file) {
    release(size);
    return nullptr;
  }
  return std::make_unique<Writer>(*this, std::move(path), *std::move(file), size);
}

BlobCache::Writer::~Writer() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  cache_.release(size_);
}

void BlobCache::Writer::publish(const Sha256& name) {
  cache_.insert(std::exchange(path_, {}), name, size_);
}

void BlobCache::add(const Sha256& name, std::string_view bytes) {
  const std::unique_ptr<Writer> writer = write(bytes.size());
  if (writer && writer->append(bytes)) writer->publish(name);
}

void BlobCache::take(const std::string& path, const Sha256& name, std::uint64_t size) {
  if (reserve(size)) {
    insert(path, name, size);
  } else {
    ::unlink(path.c_str());
  }
}

void BlobCache::remove(const Sha256& name) {
  const MutexLock lock(mutex_);
  removeLocked(name);
}

void BlobCache::removeLocked(const Sha256& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  ::unlink(pathOf(name).c_str());
  bytes_ -= found->second.size;
  by_use_.erase(found->second.position);
  entries_.erase(found);
}

}  // namespace spindle::s3
