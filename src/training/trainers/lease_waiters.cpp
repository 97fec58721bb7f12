#include "training/trainers/lease_waiters.h"

#include <algorithm>
#include <utility>

namespace spindle::training {

using std::chrono::steady_clock;

LeaseWaiters::LeaseWaiters(Source source, std::chrono::milliseconds poll)
    : source_(std::move(source)), poll_(poll) {}

LeaseWaiters::~LeaseWaiters() { stop(); }

void LeaseWaiters::start() {
  thread_ = std::thread([this] { run(); });
}

void LeaseWaiters::stop() {
  std::list<std::shared_ptr<Waiter>> left;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notifyAll();
  if (thread_.joinable()) thread_.join();
  {
    const MutexLock lock(mutex_);
    left.swap(waiters_);
  }
  for (const std::shared_ptr<Waiter>& waiter : left) waiter->answer(std::optional<Offer>());
}

void LeaseWaiters::wait(const TrainerRequest& trainer,
                        std::chrono::milliseconds timeout,
                        Answer answer) {
  auto waiter =
      std::make_shared<Waiter>(Waiter{trainer, steady_clock::now() + timeout, std::move(answer)});
  std::shared_ptr<Waiter> earlier;
  bool closed = false;
  {
    const MutexLock lock(mutex_);
    const auto same = std::find_if(waiters_.begin(), waiters_.end(), [&](const auto& each) {
      return each->trainer.worker == trainer.worker;
    });
    if (same != waiters_.end()) {
      earlier = *same;
      waiters_.erase(same);
    }
    closed = stopping_;
    if (!closed) waiters_.push_back(waiter);
    woken_ = true;
  }
  changed_.notifyAll();
  if (earlier) earlier->answer(std::optional<Offer>());
  if (closed) waiter->answer(std::optional<Offer>());
}

bool LeaseWaiters::hasGgufWaiters() {
  const MutexLock lock(mutex_);
  return std::any_of(waiters_.begin(), waiters_.end(), [](const auto& each) {
    return each->trainer.capabilities.reads(BaseFormat::kGguf);
  });
}

void LeaseWaiters::wake() {
  {
    const MutexLock lock(mutex_);
    woken_ = true;
  }
  changed_.notifyAll();
}

void LeaseWaiters::run() {
  while (true) {
    std::list<std::shared_ptr<Waiter>> asked;
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
      auto pause = poll_;
      const auto now = steady_clock::now();
      for (const std::shared_ptr<Waiter>& waiter : waiters_) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            waiter->until - now + std::chrono::milliseconds(1));
        pause = std::clamp(left, std::chrono::milliseconds(0), pause);
      }
      if (!woken_ && pause.count() > 0) changed_.waitFor(mutex_, pause);
      if (stopping_) return;
      woken_ = false;
      asked = waiters_;
    }
    for (const std::shared_ptr<Waiter>& waiter : asked) serve(waiter);
  }
}

/// Removes a waiter. @return false if it was already removed
bool LeaseWaiters::leave(const std::shared_ptr<Waiter>& waiter) {
  const MutexLock lock(mutex_);
  const auto found = std::find(waiters_.begin(), waiters_.end(), waiter);
  if (found == waiters_.end()) return false;
  waiters_.erase(found);
  return true;
}

void LeaseWaiters::serve(const std::shared_ptr<Waiter>& waiter) {
  Result<std::optional<Offer>> offer = source_.lease(waiter->trainer);
  if (offer && !*offer && steady_clock::now() < waiter->until) return;
  const std::optional<Offer> given = offer ? *offer : std::nullopt;
  const bool taken = leave(waiter) && waiter->answer(std::move(offer));
  if (given && !taken) source_.give_back(*given);
}

}  // namespace spindle::training
