#pragma once

#include <vector>

#include <linux/filter.h>

namespace spindle {

/// The address families of the sockets that a process may create.
enum class SocketFamilies { kUnix, kInternet };

/// Returns a seccomp program (BPF) that refuses dangerous system calls with EPERM and allows all
/// others. For x86_64 and arm64; empty on other machines. `pid` is the process itself, the only one
/// that it may signal.
std::vector<sock_filter> sandboxFilter(SocketFamilies families, int pid);

/// Returns a program that refuses new sockets and connections.
std::vector<sock_filter> socketFilter();

/// Activates a program for this thread, or for all threads of the process. Requires no_new_privs.
/// @return false if the kernel refuses
bool installFilter(const std::vector<sock_filter>& program, bool all_threads);

}  // namespace spindle
