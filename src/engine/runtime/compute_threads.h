#pragma once

struct ggml_threadpool;

namespace spindle::engine {

/// A thread pool for the forward passes of a model. Without it the library creates and joins
/// threads in every pass. Idle threads sleep.
class ComputeThreads {
 public:
  /// 0: one thread per core.
  explicit ComputeThreads(int threads);
  ~ComputeThreads();
  ComputeThreads(const ComputeThreads&) = delete;
  ComputeThreads& operator=(const ComputeThreads&) = delete;

  int count() const { return count_; }
  /// Returns null when the library has no thread pool.
  ggml_threadpool* handle() const { return handle_; }

 private:
  const int count_;
  ggml_threadpool* handle_ = nullptr;
};

}  // namespace spindle::engine
