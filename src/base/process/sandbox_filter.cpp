#include "base/process/sandbox_filter.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/core/instrumentation.h"

namespace spindle {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
/// Calls of the x32 ABI have this bit and different numbers.
constexpr std::uint32_t kOtherAbi = 0x40000000;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kOtherAbi = 0;
#else
constexpr std::uint32_t kArchitecture = 0;
constexpr std::uint32_t kOtherAbi = 0;
#endif

/// Numbers that are missing in older headers; identical on both machines.
constexpr std::uint32_t kPidfdSendSignal = 424;
constexpr std::uint32_t kIoUringSetup = 425;
constexpr std::uint32_t kIoUringEnter = 426;
constexpr std::uint32_t kIoUringRegister = 427;
constexpr std::uint32_t kOpenTree = 428;
constexpr std::uint32_t kMoveMount = 429;
constexpr std::uint32_t kFsopen = 430;
constexpr std::uint32_t kFsconfig = 431;
constexpr std::uint32_t kFsmount = 432;
constexpr std::uint32_t kFspick = 433;
constexpr std::uint32_t kClone3 = 435;
constexpr std::uint32_t kPidfdGetfd = 438;
constexpr std::uint32_t kProcessMadvise = 440;
constexpr std::uint32_t kMountSetattr = 442;
constexpr std::uint32_t kQuotactlFd = 443;

/// Refused with any arguments.
constexpr std::uint32_t kRefused[] = {
    // Other programs and processes.
    SYS_execve,
    SYS_execveat,
    SYS_kcmp,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    kPidfdGetfd,
    kPidfdSendSignal,
    kProcessMadvise,
    SYS_rt_sigqueueinfo,
    SYS_tkill,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
#endif
    // The process's view of the machine.
    SYS_unshare,
    SYS_setns,
    SYS_chroot,
    SYS_pivot_root,
    SYS_mount,
    SYS_umount2,
    kOpenTree,
    kMoveMount,
    kFsopen,
    kFsconfig,
    kFsmount,
    kFspick,
    kMountSetattr,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    // The kernel itself.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    kQuotactlFd,
    SYS_syslog,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    SYS_userfaultfd,
    SYS_personality,
    kIoUringSetup,
    kIoUringEnter,
    kIoUringRegister,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
#endif
};

/// Builds a BPF program. Jumps in BPF are relative, so each check is independent: it decides or
/// falls through to the next.
class Program {
 public:
  /// Checks the architecture and loads the system call number.
  Program() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    decide(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    if (kOtherAbi != 0) {
      add(BPF_JMP | BPF_JSET | BPF_K, kOtherAbi, 0, 1);
      decide(SECCOMP_RET_ERRNO | ENOSYS);
    }
  }

  void refuse(std::uint32_t call, int error = EPERM) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    decide(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }

  /// Refuses a call unless the lower half of an argument is one of the values.
  void refuseUnless(std::uint32_t call,
                    std::size_t argument,
                    const std::vector<std::uint32_t>& values,
                    int error = EPERM) {
    // Distance to the load of the call number after this check.
    const std::size_t length = 1 + values.size() + 1;
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, static_cast<std::uint8_t>(length));
    load(argumentAt(argument));
    for (std::size_t i = 0; i < values.size(); ++i) {
      add(BPF_JMP | BPF_JEQ | BPF_K, values[i], static_cast<std::uint8_t>(values.size() - i), 0);
    }
    decide(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
    load(offsetof(seccomp_data, nr));
  }

  /// Refuses a call unless all bits are set in the lower half of an argument.
  void refuseUnlessBit(std::uint32_t call, std::size_t argument, std::uint32_t bit) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3);
    load(argumentAt(argument));
    add(BPF_JMP | BPF_JSET | BPF_K, bit, 1, 0);
    decide(SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(seccomp_data, nr));
  }

  std::vector<sock_filter> finish() {
    decide(SECCOMP_RET_ALLOW);
    return std::move(steps_);
  }

 private:
  static std::uint32_t argumentAt(std::size_t index) {
    // Both machines are little-endian: the lower half comes first.
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0);
  }
  void decide(std::uint32_t decision) { add(BPF_RET | BPF_K, decision, 0, 0); }
  void add(int code, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    steps_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }

  std::vector<sock_filter> steps_;
};

}  // namespace

std::vector<sock_filter> sandboxFilter(SocketFamilies families, int pid) {
  if (kArchitecture == 0) return {};
  Program program;
  for (const std::uint32_t call : kRefused) program.refuse(call);
  if (!kInstrumented) {
    program.refuse(SYS_ptrace);
    // Allows threads but no processes. The C library falls back from clone3(), whose flags a filter
    // cannot read.
    program.refuse(kClone3, ENOSYS);
    program.refuseUnlessBit(SYS_clone, 0, CLONE_THREAD);
  }
  const auto self = static_cast<std::uint32_t>(pid);
  program.refuseUnless(SYS_kill, 0, {self});
  program.refuseUnless(SYS_tgkill, 0, {self});
  program.refuseUnless(SYS_rt_tgsigqueueinfo, 0, {self});
  std::vector<std::uint32_t> allowed = {AF_UNIX};
  if (families == SocketFamilies::kInternet) {
    // Name resolution queries the kernel's addresses through netlink.
    allowed.insert(allowed.end(), {AF_INET, AF_INET6, AF_NETLINK});
  }
  program.refuseUnless(SYS_socket, 0, allowed, EAFNOSUPPORT);
  program.refuseUnless(SYS_socketpair, 0, {AF_UNIX}, EAFNOSUPPORT);
  return program.finish();
}

std::vector<sock_filter> socketFilter() {
  if (kArchitecture == 0) return {};
  Program program;
  for (const std::uint32_t call : {SYS_socket, SYS_connect, SYS_bind, SYS_listen})
    program.refuse(call);
  return program.finish();
}

bool installFilter(const std::vector<sock_filter>& program, bool all_threads) {
  if (program.empty()) return false;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the kernel only reads the program
  auto* const instructions = const_cast<sock_filter*>(program.data());
  const sock_fprog whole = {static_cast<unsigned short>(program.size()), instructions};
  const unsigned flags = all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &whole) == 0;
}

}  // namespace spindle
