#include "http/worker_pool.h"

namespace spindle::http {

WorkerPool::WorkerPool(std::size_t threads, std::size_t capacity, Gauge& queued)
    : capacity_(capacity), size_(threads), queued_(queued) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::trySubmit(Job& job) { return enqueue(job, true); }

void WorkerPool::submit(Job& job) { enqueue(job, false); }

bool WorkerPool::summon() {
  if (summoned_ > 0 || sleeping_ == 0) return false;
  --sleeping_;
  ++summoned_;
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
      notify = summon();
    }
  }
  if (notify) summons_.notifyOne();
  if (refused) job.drop();
  return true;
}

WorkerPool::Job* WorkerPool::take(bool ran) {
  bool notify = false;
  Job* job = nullptr;
  {
    const MutexLock lock(mutex_);
    if (ran) --running_;
    while (jobs_.empty() && !stopping_) {
      ++sleeping_;
      while (summoned_ == 0 && !stopping_) summons_.wait(mutex_);
      if (summoned_ == 0) break;
      --summoned_;
    }
    if (jobs_.empty()) return nullptr;
    job = jobs_.front();
    jobs_.pop_front();
    ++running_;
    queued_.set(static_cast<std::int64_t>(jobs_.size()));
    if (!jobs_.empty()) notify = summon();
  }
  if (notify) summons_.notifyOne();
  return job;
}

void WorkerPool::work() {
  Job* job = take(false);
  while (job != nullptr) {
    job->run();
    job = take(true);
  }
}

void WorkerPool::stop() {
  std::deque<Job*> dropped;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
    queued_.set(0);
  }
  summons_.notifyAll();
  for (Job* job : dropped) job->drop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace spindle::http
