#pragma once

/// Stops the program when our own reasoning was wrong: logs the broken invariant and aborts, in
/// release builds too. Never for anything a request, a file or the network can cause.
#define SPINDLE_ASSERT(condition, why)                                         \
  do {                                                                         \
    if (!(condition)) [[unlikely]]                                             \
      ::spindle::detail::assertionFailed(#condition, why, __FILE__, __LINE__); \
  } while (false)

namespace spindle::detail {
[[noreturn]] void assertionFailed(const char* condition,
                                  const char* why,
                                  const char* file,
                                  int line);
}  // namespace spindle::detail
