#pragma once

struct ggml_threadpool;

namespace spindle::engine {

/// Threads that stay between the steps of a model; without them the library starts and ends its own
/// in every step. They sleep when there is nothing to do.
class ComputeThreads {
 public:
  /// 0: as many as there are cores.
  explicit ComputeThreads(int threads);
  ~ComputeThreads();
  ComputeThreads(const ComputeThreads&) = delete;
  ComputeThreads& operator=(const ComputeThreads&) = delete;

  int count() const { return count_; }
  /// Null where the library has no such thing.
  ggml_threadpool* handle() const { return handle_; }

 private:
  const int count_;
  ggml_threadpool* handle_ = nullptr;
};

}  // namespace spindle::engine
