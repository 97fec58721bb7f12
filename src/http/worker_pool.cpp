#include "http/worker_pool.h"

#include <sched.h>

namespace spindle::http {
namespace {

/// How often an idle thread lets others run before it sleeps: some microseconds.
constexpr int kYields = 8;

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, std::size_t capacity, Gauge& queued)
    : capacity_(capacity), size_(threads), queued_(queued), searching_(threads) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::trySubmit(Job& job) { return enqueue(job, true); }

void WorkerPool::submit(Job& job) { enqueue(job, false); }

bool WorkerPool::summon() {
  if (searching_ > 0 || sleeping_ == 0) return false;
  --sleeping_;
  ++summoned_;
  ++searching_;
  return true;
}

bool WorkerPool::enqueue(Job& job, bool bounded) {
  bool notify = false;
  bool refused = false;
  {
    const MutexLock lock(mutex_);
    refused = stopping_;
    if (!refused) {
      // Every thread that runs nothing is good for one more job than the queue may hold.
      if (bounded && jobs_.size() >= capacity_ + (size_ - running_)) return false;
      jobs_.push_back(&job);
      queued_.set(static_cast<std::int64_t>(jobs_.size()));
      pending_.store(true, std::memory_order_relaxed);
      notify = summon();
    }
  }
  if (notify) summons_.notifyOne();
  if (refused) job.drop();
  return true;
}

/// The calling thread counts as searching when it comes, and as running when it has a job.
WorkerPool::Job* WorkerPool::take() {
  int yields = 0;
  while (true) {
    while (yields < kYields && !pending_.load(std::memory_order_relaxed)) {
      ++yields;
      ::sched_yield();
    }
    bool notify = false;
    Job* job = nullptr;
    {
      const MutexLock lock(mutex_);
      --searching_;
      if (jobs_.empty() && !stopping_) {
        ++sleeping_;
        while (summoned_ == 0 && !stopping_) summons_.wait(mutex_);
        if (summoned_ > 0) {
          --summoned_;
        } else {
          --sleeping_;
          ++searching_;
        }
        yields = 0;
        continue;
      }
      if (jobs_.empty()) return nullptr;
      job = jobs_.front();
      jobs_.pop_front();
      ++running_;
      queued_.set(static_cast<std::int64_t>(jobs_.size()));
      if (jobs_.empty()) {
        pending_.store(stopping_, std::memory_order_relaxed);
      } else {
        notify = summon();
      }
    }
    if (notify) summons_.notifyOne();
    return job;
  }
}

void WorkerPool::work() {
  while (Job* job = take()) {
    job->run();
    const MutexLock lock(mutex_);
    --running_;
    ++searching_;
  }
}

void WorkerPool::stop() {
  std::deque<Job*> dropped;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    pending_.store(true, std::memory_order_relaxed);
    dropped.swap(jobs_);
    queued_.set(0);
  }
  summons_.notifyAll();
  for (Job* job : dropped) job->drop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace spindle::http
