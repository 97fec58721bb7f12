#include "backup/backup_holds.h"

#include <utility>

#include "base/core/log.h"
#include "base/crypto/crypto.h"

namespace spindle::backup {
namespace {

constexpr Logger kLog("backup");
constexpr std::size_t kIdLength = 20;

Error taken() {
  return Error::conflict(
      "Another backup is being taken. If its command was killed, try again in a minute.");
}

}  // namespace

BackupHolds::BackupHolds(HoldStore hold_store, Clock clock)
    : hold_store_(std::move(hold_store)), clock_(std::move(clock)) {}

BackupHolds::~BackupHolds() = default;

Error BackupHolds::noSuchHold() {
  return Error::notFound("There is no such hold, or it has ended; start the backup again.");
}

bool BackupHolds::isHeldBy(std::string_view id) {
  return held_ && id == id_ && clock_() < expires_;
}

std::unique_ptr<columnar::StoreHold> BackupHolds::takeExpired() {
  if (!held_ || clock_() < expires_) return nullptr;
  kLog.warning("backup_hold_expired");
  id_.clear();
  held_ = false;
  return std::move(hold_);
}

Result<std::string> BackupHolds::begin() {
  std::unique_ptr<columnar::StoreHold> expired;  // destroyed unlocked: it removes files
  {
    const MutexLock lock(mutex_);
    expired = takeExpired();
    if (held_ || beginning_) return taken();
    beginning_ = true;
    while (maintaining_) changed_.wait(mutex_);
  }
  expired.reset();
  Result<std::unique_ptr<columnar::StoreHold>> hold = hold_store_();
  const MutexLock lock(mutex_);
  beginning_ = false;
  if (!hold) return std::move(hold).error();
  hold_ = *std::move(hold);
  held_ = true;
  id_ = randomAlphanumeric(kIdLength);
  expires_ = clock_() + kLease;
  kLog.info("backup_hold_begun");
  return id_;
}

Result<std::vector<columnar::HeldFile>> BackupHolds::mark(std::string_view id) {
  const MutexLock lock(mutex_);
  if (!isHeldBy(id)) return noSuchHold();
  expires_ = clock_() + kLease;
  if (hold_ == nullptr) return std::vector<columnar::HeldFile>();
  return hold_->mark();
}

Result<void> BackupHolds::renew(std::string_view id) {
  const MutexLock lock(mutex_);
  if (!isHeldBy(id)) return noSuchHold();
  expires_ = clock_() + kLease;
  if (hold_ == nullptr) return {};
  return hold_->check();
}

Result<void> BackupHolds::end(std::string_view id) {
  std::unique_ptr<columnar::StoreHold> hold;
  {
    const MutexLock lock(mutex_);
    if (!isHeldBy(id)) return noSuchHold();
    hold = std::move(hold_);
    held_ = false;
    id_.clear();
  }
  kLog.info("backup_hold_ended");
  if (hold == nullptr) return {};
  return hold->check();
}

bool BackupHolds::maintain(const std::function<void()>& work) {
  std::unique_ptr<columnar::StoreHold> expired;
  {
    const MutexLock lock(mutex_);
    expired = takeExpired();
    if (held_ || beginning_) return false;
    maintaining_ = true;
  }
  expired.reset();
  work();
  const MutexLock lock(mutex_);
  maintaining_ = false;
  changed_.notifyAll();
  return true;
}

}  // namespace spindle::backup
