#include "http/io/worker_pool.h"

namespace spindle::http {

WorkerPool::WorkerPool(std::size_t threads, std::size_t capacity, Gauge& queued)
    : capacity_(capacity), size_(threads), queued_(queued) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() { stop(); }

WorkerPool::SubmitResult WorkerPool::trySubmit(Job& job, std::string_view share_class) {
  return enqueue(job, share_class, true);
}

void WorkerPool::submit(Job& job, std::string_view share_class) {
  enqueue(job, share_class, false);
}

bool WorkerPool::reserveSleepingThread() {
  if (waking_ > 0 || sleeping_ == 0) return false;
  --sleeping_;
  ++waking_;
  return true;
}

bool WorkerPool::mayRun(const Share& share) const {
  const std::size_t free = size_ - running_;
  return free > 0 && (share.running == 0 || share.running < kShare * free);
}

std::deque<WorkerPool::Share*>::iterator WorkerPool::nextTurn() {
  auto turn = turns_.begin();
  while (turn != turns_.end() && !mayRun(**turn)) ++turn;
  return turn;
}

WorkerPool::Share& WorkerPool::shareOf(std::string_view name) {
  const auto found = shares_.find(name);
  if (found != shares_.end()) return found->second;
  if (shares_.size() >= kManyClasses) {
    std::erase_if(shares_, [](const auto& each) {
      return each.second.running == 0 && each.second.waiting.empty();
    });
  }
  return shares_[std::string(name)];
}

WorkerPool::SubmitResult WorkerPool::enqueue(Job& job, std::string_view share_class, bool bounded) {
  bool notify = false;
  bool refused = false;
  {
    const MutexLock lock(mutex_);
    refused = stopping_;
    if (!refused) {
      // Every idle thread allows one more job than the capacity of the queue.
      const std::size_t room = capacity_ + (size_ - running_);
      if (bounded && waiting_ >= room) return SubmitResult::kFull;
      Share& share = shareOf(share_class);
      if (bounded && !share.waiting.empty() && share.waiting.size() >= kShare * (room - waiting_)) {
        return SubmitResult::kClassFull;
      }
      if (share.waiting.empty()) turns_.push_back(&share);
      share.waiting.push_back(&job);
      ++waiting_;
      queued_.set(static_cast<std::int64_t>(waiting_));
      if (mayRun(share)) notify = reserveSleepingThread();
    }
  }
  if (notify) wake_up_.notifyOne();
  if (refused) job.drop();
  return SubmitResult::kAccepted;
}

WorkerPool::Running WorkerPool::take(const Running& ended) {
  bool notify = false;
  Running next;
  {
    const MutexLock lock(mutex_);
    if (ended.share != nullptr) {
      --running_;
      --ended.share->running;
    }
    auto turn = nextTurn();
    while (turn == turns_.end() && !stopping_) {
      ++sleeping_;
      while (waking_ == 0 && !stopping_) wake_up_.wait(mutex_);
      if (waking_ == 0) break;
      --waking_;
      turn = nextTurn();
    }
    if (turn == turns_.end() || stopping_) return {};
    Share& share = **turn;
    turns_.erase(turn);
    next = {share.waiting.front(), &share};
    share.waiting.pop_front();
    if (!share.waiting.empty()) turns_.push_back(&share);
    ++share.running;
    ++running_;
    --waiting_;
    queued_.set(static_cast<std::int64_t>(waiting_));
    if (nextTurn() != turns_.end()) notify = reserveSleepingThread();
  }
  if (notify) wake_up_.notifyOne();
  return next;
}

void WorkerPool::work() {
  Running running = take({});
  while (running.job != nullptr) {
    running.job->run();
    running = take(running);
  }
}

void WorkerPool::stop() {
  std::vector<Job*> dropped;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    for (Share* share : turns_) {
      dropped.insert(dropped.end(), share->waiting.begin(), share->waiting.end());
      share->waiting.clear();
    }
    turns_.clear();
    waiting_ = 0;
    queued_.set(0);
  }
  wake_up_.notifyAll();
  for (Job* job : dropped) job->drop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace spindle::http
