#pragma once

#include <vector>

#include <linux/filter.h>

namespace spindle {

/// The address families that a process may create sockets of.
enum class SocketFamilies { kUnix, kInternet };

/// A seccomp program (BPF) that refuses dangerous system calls with EPERM and allows all others.
/// For x86_64 and arm64; empty on other machines. `pid`: the process itself, the only one it may
/// signal.
std::vector<sock_filter> sandboxFilter(SocketFamilies families, int pid);

/// A program that refuses new sockets and connections.
std::vector<sock_filter> socketFilter();

/// Puts a program into force for this thread, or for all threads of the process. Needs
/// no_new_privs. @return false if the kernel refuses
bool installFilter(const std::vector<sock_filter>& program, bool all_threads);

}  // namespace spindle
