#pragma once

/// Logs a violated invariant and aborts, also in release builds. For programming errors only, never
/// for anything that a request, a file or the network can cause.
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
