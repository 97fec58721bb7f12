#include "trainer/kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <c10/core/InferenceMode.h>

/// A function of the OpenMP library that LibTorch uses. The header of another compiler's library
/// would link that library too, which opens shared memory that the sandbox denies.
// NOLINTNEXTLINE(readability-identifier-naming): the name in that library
extern "C" void omp_set_num_threads(int threads);

namespace spindle::trainer {
namespace {

/// Number of polls before a thread sleeps: a tenth of a millisecond.
constexpr int kSpins = 2000;

void pauseProcessor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until the number differs from `old`.
std::uint32_t awaitChange(const std::atomic<std::uint32_t>& number, std::uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    const std::uint32_t now = number.load(std::memory_order_acquire);
    if (now != old) return now;
    pauseProcessor();
  }
  number.wait(old, std::memory_order_acquire);
  return number.load(std::memory_order_acquire);
}

/// A thread pool that executes one round of parts after the other.
class ThreadPool {
 public:
  using Part = std::function<void(std::uint32_t part)>;

  explicit ThreadPool(int helpers) {
    for (int i = 0; i < helpers; ++i) threads_.emplace_back([this] { help(); });
  }
  ~ThreadPool() {
    ended_.store(true, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(threads_.size()) + 1; }

  /// Runs a round. @return false if a round is already running
  bool run(std::uint32_t parts, const Part& part) {
    if (busy_.test_and_set(std::memory_order_acquire)) return false;
    const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    // A thread that still looks at the last round must not take a part of this one.
    ticket_.store(ticketOf(round - 1, kNone));
    part_.store(&part, std::memory_order_relaxed);
    parts_.store(parts, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    ticket_.store(ticketOf(round, 0));
    round_.store(round, std::memory_order_release);
    round_.notify_all();
    takeParts(round);
    std::uint32_t done = done_.load(std::memory_order_acquire);
    while (done < parts) done = awaitChange(done_, done);
    const std::exception_ptr trouble = std::exchange(exception_, nullptr);
    busy_.clear(std::memory_order_release);
    if (trouble) std::rethrow_exception(trouble);
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  static std::uint64_t ticketOf(std::uint32_t round, std::uint32_t next) {
    return (std::uint64_t{round} << 32U) | next;
  }

  void help() {
    omp_set_num_threads(1);  // libraries must not start their own threads here
    std::uint32_t round = 0;
    while (true) {
      round = awaitChange(round_, round);
      if (ended_.load(std::memory_order_relaxed)) return;
      takeParts(round);
    }
  }

  void takeParts(std::uint32_t round) {
    std::uint64_t ticket = ticket_.load();
    while (static_cast<std::uint32_t>(ticket >> 32U) == round) {
      const auto next = static_cast<std::uint32_t>(ticket);
      const Part* part = part_.load(std::memory_order_relaxed);
      const std::uint32_t parts = parts_.load(std::memory_order_relaxed);
      if (next >= parts) return;
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1)) continue;
      doPart(*part, next);
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == parts) done_.notify_all();
      ticket = ticket_.load();
    }
  }

  void doPart(const Part& part, std::uint32_t number) {
    const c10::InferenceMode guard;  // thread-local: not inherited from the caller
    try {
      part(number);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      exception_ = std::current_exception();
    }
  }

  std::atomic_flag busy_;
  std::atomic<std::uint64_t> ticket_{ticketOf(0, kNone)};  ///< round number and next part
  std::atomic<const Part*> part_{nullptr};
  std::atomic<std::uint32_t> parts_{0};
  std::atomic<std::uint32_t> done_{0};
  std::atomic<std::uint32_t> round_{0};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  std::exception_ptr exception_;
  std::vector<std::thread> threads_;
};

std::unique_ptr<ThreadPool>& threadPool() {
  static std::unique_ptr<ThreadPool> only = std::make_unique<ThreadPool>(0);
  return only;
}

}  // namespace

void setThreads(int threads) {
  const int helpers = std::max(1, threads) - 1;
  if (threadPool()->size() != static_cast<std::uint32_t>(helpers) + 1)
    threadPool() = std::make_unique<ThreadPool>(helpers);
}

void inParallel(std::int64_t count,
                std::int64_t least,
                const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  ThreadPool& all = *threadPool();
  const std::int64_t each = std::max(least, (count + all.size() - 1) / all.size());
  const std::int64_t parts = (count + each - 1) / each;
  const auto one = [&](std::uint32_t part) {
    const std::int64_t begin = part * each;
    work(begin, std::min(count, begin + each));
  };
  if (parts > 1 && all.run(static_cast<std::uint32_t>(parts), one)) return;
  for (std::int64_t part = 0; part < parts; ++part) one(static_cast<std::uint32_t>(part));
}

}  // namespace spindle::trainer
