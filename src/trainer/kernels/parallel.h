#pragma once

#include <cstdint>
#include <functional>

namespace spindle::trainer {

/// Sets the number of threads of inParallel(), including the caller's. Must not be called while
/// inParallel() runs.
void setThreads(int threads);

/// Calls `work` with parts of the range 0 to `count` and waits: one part per thread, none smaller
/// than `least`. A free thread also takes parts of threads that get no processor time, so nothing
/// waits for a part that has not started, and waiting threads spin only briefly. If two callers run
/// at the same time, the second one works alone. Rethrows exceptions of parts.
void inParallel(std::int64_t count,
                std::int64_t least,
                const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace spindle::trainer
