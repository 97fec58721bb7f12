#pragma once

#include <cstdint>
#include <functional>

namespace spindle::trainer {

/// How many threads inParallel() uses from now on, the caller's among them. Not while it runs.
void setThreads(int threads);

/// Calls `work` with parts of 0 to `count`, one for each thread but none smaller than `least`, and
/// waits. A part whose thread gets no processor, because others want it too, is done by whoever is
/// free: nobody waits for a part that has not begun, and nobody spins for long. Two callers at a
/// time: the second works alone. What a part throws comes out.
void inParallel(std::int64_t count,
                std::int64_t least,
                const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace spindle::trainer
