#pragma once

// Clang tells which sanitizers instrument the code only through __has_feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1  // NOLINT(bugprone-reserved-identifier): the name that GCC uses
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1  // NOLINT(bugprone-reserved-identifier)
#endif
#endif

namespace spindle {

/// True in a build with AddressSanitizer or ThreadSanitizer. Their shadow memory uses terabytes of
/// address space. LeakSanitizer stops the threads of its process with ptrace(), from a clone() of
/// it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kInstrumented = true;
#else
inline constexpr bool kInstrumented = false;
#endif

}  // namespace spindle
