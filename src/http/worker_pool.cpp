#include "http/worker_pool.h"

namespace spindle::http {

WorkerPool::WorkerPool(std::size_t threads, std::size_t capacity, Gauge& queued)
    : capacity_(capacity), queued_(queued) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::trySubmit(Job& job) { return enqueue(job, true); }

void WorkerPool::submit(Job& job) { enqueue(job, false); }

bool WorkerPool::enqueue(Job& job, bool bounded) {
  bool wake = false;
  bool refused = false;
  {
    const MutexLock lock(mutex_);
    refused = stopping_;
    if (!refused) {
      // A thread that waits takes one job off the queue as soon as it gets the processor.
      if (bounded && jobs_.size() >= capacity_ + idle_) return false;
      jobs_.push_back(&job);
      queued_.set(static_cast<std::int64_t>(jobs_.size()));
      if (summoned_ < idle_) {
        ++summoned_;
        wake = true;
      }
    }
  }
  if (wake) available_.notifyOne();
  if (refused) job.drop();
  return true;
}

void WorkerPool::work() {
  mutex_.lock();
  while (true) {
    while (jobs_.empty() && !stopping_) {
      ++idle_;
      available_.wait(mutex_);
      --idle_;
      if (summoned_ > 0) --summoned_;
    }
    if (jobs_.empty()) break;
    Job* job = jobs_.front();
    jobs_.pop_front();
    queued_.set(static_cast<std::int64_t>(jobs_.size()));
    mutex_.unlock();
    job->run();
    mutex_.lock();
  }
  mutex_.unlock();
}

void WorkerPool::stop() {
  std::deque<Job*> dropped;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
    queued_.set(0);
  }
  available_.notifyAll();
  for (Job* job : dropped) job->drop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace spindle::http
