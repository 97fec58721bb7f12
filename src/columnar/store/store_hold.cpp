#include "columnar/store/store_hold.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "columnar/journal/store_record.h"
#include "columnar/store/core.h"
#include "columnar/store/file_name.h"

namespace spindle::columnar {
namespace {

constexpr std::chrono::milliseconds kCheckpointTimeout{2000};
constexpr int kCheckpointAttempts = 15;
constexpr std::chrono::milliseconds kBetweenCheckpoints{200};

Error reopened() {
  return Error::unavailable(
      "The trace store was reopened during the backup; start the backup again.");
}

}  // namespace

HeldFile heldJournal(const Generation& generation) {
  return {std::filesystem::path(generation.journalPath()).filename().string(),
          generation.journal().size()};
}

Result<void> Flusher::hold() {
  // Between attempts the flusher does other work and statements can run.
  for (int attempt = 0; attempt < kCheckpointAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kBetweenCheckpoints);
    if (TRY(tryHold())) return {};
  }
  return Error::unavailable("Queries keep the trace store busy; start the backup again.");
}

Result<bool> Flusher::holdNow() {
  if (parts_.failed()) return reopened();
  if (isHeld()) return Error::conflict("Another backup is being taken.");
  Result<void> done = giveSpare();
  if (done) done = writer_->seal();
  if (done) done = flushSealed();
  if (!done) return std::move(done).error();
  Result<bool> complete = checkpoint(kCheckpointTimeout);
  if (!complete || !*complete) return complete;
  const MutexLock lock(mutex_);
  held_ = true;
  return true;
}

bool Flusher::isHeld() {
  const MutexLock lock(mutex_);
  return held_;
}

void Flusher::noteFlushed(const Generation& generation) {
  parts_.flushed_journals.push_back({generation.journalPath(), generation.journal().size()});
  const MutexLock lock(mutex_);
  if (held_) held_journals_.push_back(heldJournal(generation));
}

void Flusher::release() {
  {
    const MutexLock lock(mutex_);
    held_ = false;
    held_journals_.clear();
  }
  // The next checkpoint removes the journals.
  wake();
}

Result<std::vector<HeldFile>> Flusher::journalsSinceHold() {
  // Ask the writer first: a generation that it no longer has is in `held_journals_`.
  std::vector<HeldFile> files = TRY(writer_->journals());
  const MutexLock lock(mutex_);
  for (const HeldFile& kept : held_journals_) {
    const bool known = std::any_of(files.begin(), files.end(), [&kept](const HeldFile& file) {
      return file.name == kept.name;
    });
    if (!known) files.push_back(kept);
  }
  return files;
}

StoreHold::StoreHold(std::shared_ptr<Core> core) : core_(std::move(core)) {}

StoreHold::~StoreHold() { core_->flusher().release(); }

Result<std::unique_ptr<StoreHold>> StoreHold::begin(std::shared_ptr<Core> core) {
  TRY(core->flusher().hold());
  std::unique_ptr<StoreHold> hold(new StoreHold(std::move(core)));
  std::error_code problem;
  hold->file_bytes_ = std::filesystem::file_size(
      hold->core_->parts().options.folder + "/" + std::string(kStoreFileName), problem);
  if (problem) return Error::unavailable("The size of the trace store cannot be read.");
  return hold;
}

Result<void> StoreHold::check() const {
  if (core_->parts().failed() || core_->stopped()) return reopened();
  return {};
}

Result<std::vector<HeldFile>> StoreHold::mark() {
  TRY(check());
  std::vector<HeldFile> files = TRY(core_->flusher().journalsSinceHold());
  files.insert(files.begin(), {std::string(kStoreFileName), file_bytes_});
  // Only checkpoints write the record, so it matches the file.
  const std::string record = recordPath(core_->parts().options.folder);
  std::error_code missing;
  const std::uintmax_t record_bytes = std::filesystem::file_size(record, missing);
  if (!missing) {
    files.push_back({std::filesystem::path(record).filename().string(), record_bytes});
  }
  return files;
}

}  // namespace spindle::columnar
