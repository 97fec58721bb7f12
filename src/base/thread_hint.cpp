#include "base/thread_hint.h"

#include <cstdint>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spindle {
namespace {

constexpr std::uint64_t kShortSlice = 100'000;  ///< nanoseconds: the least that Linux takes
constexpr int kLeastUrgent = 19;

/// As the kernel has it; the C library does not declare it.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

/// 0: as the system likes it. That it may not be set is no harm.
void setSlice(std::uint64_t nanoseconds) {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  attributes.size = sizeof(attributes);
  attributes.runtime = nanoseconds;
  (void)::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

GivesWayQuickly::GivesWayQuickly() { setSlice(kShortSlice); }
GivesWayQuickly::~GivesWayQuickly() { setSlice(0); }

void runWhenIdle() {
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kLeastUrgent);
}

}  // namespace spindle
