#include "inference/upstream_adapters/peft_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/crypto/crypto.h"
#include "inference/upstream_adapters/log.h"

namespace spindle::inference {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFiles = {kPeftConfigFile, kPeftWeightsFile};
/// The prefix of folders that are being written or deleted.
constexpr std::string_view kUnfinished = ".spindle-";
constexpr fs::perms kFolderMode = fs::perms::owner_all | fs::perms::group_read |
                                  fs::perms::group_exec | fs::perms::others_read |
                                  fs::perms::others_exec;
constexpr fs::perms kFileMode =
    fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read;

Error notWritten() {
  return Error::unavailable("The folder of shared adapters cannot be written.");
}

/// Returns the entries of a folder, without those that cannot be read.
std::vector<fs::directory_entry> entriesOf(const std::string& folder, std::error_code& failed) {
  std::vector<fs::directory_entry> entries;
  fs::directory_iterator each(folder, failed);
  while (!failed && each != fs::directory_iterator()) {
    entries.push_back(*each);
    each.increment(failed);
  }
  return entries;
}

std::uint64_t sizeOf(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const std::string_view name : kFiles) {
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(folder / name, failed);
    if (!failed) bytes += size;
  }
  return bytes;
}

bool isComplete(const fs::path& folder) {
  std::error_code failed;
  return std::all_of(kFiles.begin(), kFiles.end(), [&](std::string_view name) {
    return fs::is_regular_file(folder / name, failed);
  });
}

void discard(const fs::path& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  if (failed) kLog.warning("shared_adapter_not_removed", {{"reason", failed.message()}});
}

}  // namespace

PeftFolder::PeftFolder(Options options) : options_(std::move(options)) {
  std::error_code failed;
  fs::create_directories(options_.folder, failed);
  if (!failed && options_.is_private)
    fs::permissions(options_.folder, fs::perms::owner_all, failed);
  if (failed) throw std::runtime_error("cannot use " + options_.folder + ": " + failed.message());
  const fs::file_time_type before = fs::file_time_type::clock::now() - options_.least_age;
  for (const fs::directory_entry& entry : entriesOf(options_.folder, failed)) {
    const bool unfinished = entry.path().filename().string().starts_with(kUnfinished);
    std::error_code ignored;
    if (unfinished && entry.last_write_time(ignored) < before) discard(entry.path());
  }
  if (failed) throw std::runtime_error("cannot read " + options_.folder + ": " + failed.message());
  evict();
}

Result<std::shared_ptr<const StagedAdapter>> PeftFolder::stage(const PeftAdapter& adapter) {
  {
    const MutexLock lock(mutex_);
    while (writing_.contains(adapter.name)) written_.wait(mutex_);
    if (isComplete(pathOf(adapter.name))) return hold(adapter.name);
    writing_.insert(adapter.name);
  }
  Result<void> done = write(adapter);
  std::shared_ptr<const StagedAdapter> staged;
  {
    const MutexLock lock(mutex_);
    writing_.erase(adapter.name);
    written_.notifyAll();
    if (done) staged = hold(adapter.name);
  }
  if (!done) return std::move(done).error();
  evict();
  return staged;
}

std::shared_ptr<const StagedAdapter> PeftFolder::hold(const std::string& name) {
  std::error_code ignored;
  fs::last_write_time(pathOf(name), fs::file_time_type::clock::now(), ignored);
  std::weak_ptr<const StagedAdapter>& held = held_[name];
  std::shared_ptr<const StagedAdapter> staged = held.lock();
  if (!staged) {
    staged = std::make_shared<const StagedAdapter>(StagedAdapter{name, pathOf(name)});
    held = staged;
  }
  return staged;
}

Result<void> PeftFolder::write(const PeftAdapter& adapter) const {
  const fs::path beside = pathOf(std::string(kUnfinished) + randomAlphanumeric(16));
  std::error_code failed;
  fs::create_directory(beside, failed);
  if (failed) return notWritten();
  Result<void> done = adapter.write(beside.string());
  for (const std::string_view name : kFiles) {
    if (done) fs::permissions(beside / name, kFileMode, failed);
    if (failed) done = notWritten();
  }
  if (done) fs::permissions(beside, kFolderMode, failed);
  // A folder without both files is left over from an interrupted deletion.
  const fs::path place = pathOf(adapter.name);
  if (done && !isComplete(place)) discard(place);
  if (done) fs::rename(beside, place, failed);
  if (done && failed && !isComplete(place)) done = notWritten();
  // Another server may have written the same adapter meanwhile.
  if (!done || failed) discard(beside);
  return done;
}

void PeftFolder::evict() {
  struct Adapter {
    fs::file_time_type used;
    std::string name;
    std::uint64_t bytes = 0;
  };
  std::vector<Adapter> all;
  std::uint64_t total = 0;
  std::error_code failed;
  for (const fs::directory_entry& entry : entriesOf(options_.folder, failed)) {
    Adapter adapter;
    adapter.name = entry.path().filename().string();
    if (!adapter.name.starts_with(kPeftNamePrefix)) continue;
    std::error_code ignored;
    adapter.used = entry.last_write_time(ignored);
    adapter.bytes = sizeOf(entry.path());
    total += adapter.bytes;
    all.push_back(std::move(adapter));
  }
  std::sort(all.begin(), all.end(),
            [](const Adapter& a, const Adapter& b) { return a.used < b.used; });
  const fs::file_time_type before = fs::file_time_type::clock::now() - options_.least_age;
  for (const Adapter& adapter : all) {
    if (total <= options_.most || adapter.used >= before) return;
    // The lock excludes stage(), which could return the adapter meanwhile.
    const MutexLock lock(mutex_);
    const auto held = held_.find(adapter.name);
    if (held != held_.end() && !held->second.expired()) continue;
    if (held != held_.end()) held_.erase(held);
    const fs::path gone = pathOf(std::string(kUnfinished) + randomAlphanumeric(16));
    fs::rename(pathOf(adapter.name), gone, failed);
    if (failed) continue;
    discard(gone);
    total -= adapter.bytes;
  }
}

}  // namespace spindle::inference
