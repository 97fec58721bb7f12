#pragma once

#include <memory>

struct ggml_threadpool;

namespace spindle::engine {

/// A thread pool for the forward passes of a model. Without it the library creates and joins
/// threads in every pass. Idle threads sleep.
class ComputeThreads {
 public:
  /// 0: one thread per core.
  explicit ComputeThreads(int threads);

  int count() const { return count_; }
  /// Returns null when the library has no thread pool.
  ggml_threadpool* handle() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(ggml_threadpool* handle) const;
  };

  const int count_;
  std::unique_ptr<ggml_threadpool, Free> handle_;
};

}  // namespace spindle::engine
