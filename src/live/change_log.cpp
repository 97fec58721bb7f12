#include "live/change_log.h"

#include <algorithm>

#include "base/crypto/crypto.h"

namespace spindle::live {
namespace {

std::string newEpoch() {
  std::uint64_t random = 0;
  randomBytes(&random, sizeof(random));
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
  std::string text;
  for (int i = 0; i < 12; ++i, random >>= 5U) text += kDigits[random & 31U];
  return text;
}

}  // namespace

ChangeLog::ChangeLog(std::size_t capacity) : capacity_(capacity), epoch_(newEpoch()) {}

ChangeLog::Listener ChangeLog::merge(const Change& change) {
  Listener listener = pending_.empty() && !overflowed_ ? listener_ : nullptr;
  auto found = pending_.find(std::pair<Topic, std::string_view>(change.topic, change.scope_id));
  if (found == pending_.end() && pending_.size() >= capacity_) {
    overflowed_ = true;
    return listener;
  }
  if (found == pending_.end()) {
    found = pending_.emplace(Key(change.topic, change.scope_id), Pending{0, change.newest}).first;
  }
  found->second.count += change.count;
  found->second.newest = std::max(found->second.newest, change.newest);
  return listener;
}

void ChangeLog::publish(Topic topic,
                        std::string_view scope_id,
                        std::int64_t count,
                        Timestamp newest) {
  const Change change{topic, std::string(scope_id), count, newest};
  Listener listener;
  std::shared_ptr<const std::function<void(const Change&)>> forwarder;
  {
    const MutexLock lock(mutex_);
    listener = merge(change);
    forwarder = forwarder_;
  }
  if (listener != nullptr) (*listener)();
  if (forwarder != nullptr) (*forwarder)(change);
}

void ChangeLog::addRemote(const Change& change) {
  Listener listener;
  {
    const MutexLock lock(mutex_);
    listener = merge(change);
  }
  if (listener != nullptr) (*listener)();
}

void ChangeLog::loseRemote() {
  Listener listener;
  {
    const MutexLock lock(mutex_);
    if (pending_.empty() && !overflowed_) listener = listener_;
    overflowed_ = true;
  }
  if (listener != nullptr) (*listener)();
}

void ChangeLog::setForwarder(std::function<void(const Change&)> forwarder) {
  auto shared =
      forwarder ? std::make_shared<const std::function<void(const Change&)>>(std::move(forwarder))
                : std::shared_ptr<const std::function<void(const Change&)>>();
  const MutexLock lock(mutex_);
  forwarder_ = std::move(shared);
}

void ChangeLog::setListener(std::function<void()> listener) {
  auto shared = listener ? std::make_shared<const std::function<void()>>(std::move(listener))
                         : std::shared_ptr<const std::function<void()>>();
  const MutexLock lock(mutex_);
  listener_ = std::move(shared);
}

void ChangeLog::seal() {
  const MutexLock lock(mutex_);
  if (overflowed_) return forgetAll();
  for (auto& [key, pending] : pending_) {
    entries_.push_back({key.first, key.second, pending.count, pending.newest});
    ++last_;
  }
  pending_.clear();
  while (entries_.size() > capacity_) entries_.pop_front();
}

/// Forgets every entry. The number of the lost change is skipped, so that all readers notice.
void ChangeLog::forgetAll() {
  entries_.clear();
  pending_.clear();
  overflowed_ = false;
  ++last_;
}

std::uint64_t ChangeLog::last() const {
  const MutexLock lock(mutex_);
  return last_;
}

std::optional<std::uint64_t> ChangeLog::visitAfter(std::uint64_t number, const Visit& visit) const {
  const MutexLock lock(mutex_);
  if (number > last_ || last_ - number > entries_.size()) return std::nullopt;
  for (std::size_t i = entries_.size() - (last_ - number); i < entries_.size(); ++i) {
    visit(++number, entries_[i]);
  }
  return last_;
}

}  // namespace spindle::live
