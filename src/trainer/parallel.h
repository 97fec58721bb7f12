#pragma once

#include <cstdint>
#include <functional>

namespace spindle::trainer {

/// Calls `work` with parts of 0 to `count`, one for each of the library's threads but none smaller
/// than `least`, and waits. What comes out must not depend on where the parts begin.
void inParallel(std::int64_t count,
                std::int64_t least,
                const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace spindle::trainer
