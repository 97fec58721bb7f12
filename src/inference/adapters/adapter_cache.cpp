#include "inference/adapters/adapter_cache.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "base/core/log.h"
#include "base/crypto/crypto.h"
#include "base/process/durable_file.h"

namespace spindle::inference {
namespace {

namespace fs = std::filesystem;

constexpr Logger kLog("inference");
constexpr std::string_view kEnding = ".gguf";

}  // namespace

AdapterCache::AdapterCache(std::string folder, std::uint64_t most)
    : folder_(std::move(folder)), most_(most) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (!failed) fs::permissions(folder_, fs::perms::owner_all, failed);
  if (failed) throw std::runtime_error("cannot use " + folder_ + ": " + failed.message());
  std::vector<std::pair<fs::file_time_type, fs::path>> known;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == kEnding) {
      known.emplace_back(entry.last_write_time(failed), entry.path());
    } else {
      fs::remove_all(entry.path(), failed);
    }
  }
  std::sort(known.begin(), known.end());
  const MutexLock lock(mutex_);
  for (const auto& [time, path] : known) {
    Entry& entry = entries_[path.stem().string()];
    entry.bytes = fs::file_size(path, failed);
    entry.last_used = ++uses_;
  }
  evict();
}

std::string AdapterCache::pathOf(const std::string& name) const {
  return folder_ + "/" + name + std::string(kEnding);
}

Result<std::shared_ptr<const AdapterFile>> AdapterCache::get(const std::string& name,
                                                             const Make& make,
                                                             const std::string& artifact) {
  {
    const MutexLock lock(mutex_);
    while (making_.contains(name)) made_.wait(mutex_);
    const auto known = entries_.find(name);
    // The file may have been deleted from outside.
    if (known != entries_.end() && fs::exists(pathOf(name)))
      return hold(name, artifact, known->second);
    making_.insert(name);
  }
  Result<void> written = makeFile(name, make);
  const MutexLock lock(mutex_);
  making_.erase(name);
  made_.notifyAll();
  if (!written) return std::move(written).error();
  Entry& entry = entries_[name];
  std::error_code ignored;
  entry.bytes = fs::file_size(pathOf(name), ignored);
  std::shared_ptr<const AdapterFile> file = hold(name, artifact, entry);
  evict();
  return file;
}

std::shared_ptr<const AdapterFile> AdapterCache::hold(const std::string& name,
                                                      const std::string& artifact,
                                                      Entry& entry) {
  entry.last_used = ++uses_;
  std::shared_ptr<const AdapterFile> file = entry.held.lock();
  if (!file) {
    file = std::make_shared<const AdapterFile>(AdapterFile{name, pathOf(name), artifact});
    entry.held = file;
  }
  return file;
}

Result<void> AdapterCache::makeFile(const std::string& name, const Make& make) const {
  const std::string beside = folder_ + "/making-" + randomAlphanumeric(16);
  Result<void> done = make(beside);
  if (done) done = moveIntoPlace(beside, pathOf(name));
  std::error_code ignored;
  if (!done) fs::remove(beside, ignored);
  return done;
}

void AdapterCache::evict() {
  std::uint64_t total = 0;
  std::vector<std::pair<std::uint64_t, std::string>> oldest;
  for (const auto& [name, entry] : entries_) {
    total += entry.bytes;
    if (entry.held.expired()) oldest.emplace_back(entry.last_used, name);
  }
  std::sort(oldest.begin(), oldest.end());
  for (const auto& [use, name] : oldest) {
    if (total <= most_) return;
    std::error_code failed;
    fs::remove(pathOf(name), failed);
    if (failed) kLog.warning("adapter_not_removed", {{"adapter", name}});
    total -= entries_[name].bytes;
    entries_.erase(name);
  }
}

std::uint64_t AdapterCache::bytes() const {
  const MutexLock lock(mutex_);
  std::uint64_t total = 0;
  for (const auto& [name, entry] : entries_) total += entry.bytes;
  return total;
}

}  // namespace spindle::inference
