#include "engine/runtime/compute_threads.h"

#include <algorithm>
#include <thread>

#include <ggml-backend.h>
#include <ggml-cpu.h>

namespace spindle::engine {
namespace {

/// Returns a function of the CPU back end, which is loaded at run time.
template <class Function>
Function* functionOf(const char* name) {
  ggml_backend_dev_t device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  if (device == nullptr) return nullptr;
  return reinterpret_cast<Function*>(
      ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), name));
}

int countOf(int threads) {
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

ComputeThreads::ComputeThreads(int threads) : count_(countOf(threads)) {
  auto* make = functionOf<decltype(ggml_threadpool_new)>("ggml_threadpool_new");
  if (make == nullptr) return;
  ggml_threadpool_params params = ggml_threadpool_params_default(count_);
  handle_.reset(make(&params));
}

void ComputeThreads::Free::operator()(ggml_threadpool* handle) const {
  functionOf<decltype(ggml_threadpool_free)>("ggml_threadpool_free")(handle);
}

}  // namespace spindle::engine
