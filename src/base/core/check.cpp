#include "base/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace spindle::detail {

void assertionFailed(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "spindle: broken invariant at %s:%d: %s (%s)\n", file, line, why, condition);
  std::abort();
}

}  // namespace spindle::detail
