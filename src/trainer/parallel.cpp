#include "trainer/parallel.h"

#include <algorithm>

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

namespace spindle::trainer {

void inParallel(std::int64_t count,
                std::int64_t least,
                const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t each = std::max(least, (count + threads - 1) / threads);
  at::parallel_for(0, count, each, [&work](std::int64_t begin, std::int64_t end) {
    const c10::InferenceMode guard;  // a thread of its own knows of none
    work(begin, end);
  });
}

}  // namespace spindle::trainer
