#include "columnar/tables/visibility.h"

#include <utility>

namespace spindle::columnar {

std::shared_ptr<const Version> Visibility::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

std::shared_ptr<const Version> Visibility::change(const std::function<void(Version&)>& change) {
  const MutexLock lock(mutex_);
  auto next = std::make_shared<Version>(*current_);
  ++next->number;
  change(*next);
  current_ = std::move(next);
  return current_;
}

Result<std::shared_ptr<const Version>> Visibility::enter(
    const std::function<Result<void>()>& fix_recent) {
  const MutexLock lock(mutex_);
  TRY(fix_recent());
  ++entering_[current_->number];
  ++in_use_[current_->number];
  return current_;
}

void Visibility::release(std::map<std::uint64_t, int>& counts, std::uint64_t number) {
  const auto count = counts.find(number);
  if (--count->second == 0) counts.erase(count);
}

void Visibility::entered(const Version& version) {
  const MutexLock lock(mutex_);
  release(entering_, version.number);
  entered_.notifyAll();
}

void Visibility::left(const Version& version) {
  const MutexLock lock(mutex_);
  release(in_use_, version.number);
}

void Visibility::awaitEntered(std::uint64_t before) {
  const MutexLock lock(mutex_);
  while (!entering_.empty() && entering_.begin()->first < before) entered_.wait(mutex_);
}

bool Visibility::inUse(std::uint64_t before) const {
  const MutexLock lock(mutex_);
  return !in_use_.empty() && in_use_.begin()->first < before;
}

}  // namespace spindle::columnar
