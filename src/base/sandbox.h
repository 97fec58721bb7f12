#pragma once

#include <string>
#include <vector>

namespace spindle {

/// Limits on what a child process of the server may do. It computes with files that came from
/// outside: a fault in a library must not give away the server's secrets or its network.
struct SandboxPolicy {
  enum class Network {
    kUnixSockets,  ///< Unix sockets alone, in a network namespace of its own where possible
    kInternet,     ///< also IPv4, IPv6 and name resolution
  };

  Network network = Network::kUnixSockets;
  std::vector<std::string> read = {};   ///< files and folders it may read, beside the system's own
  std::vector<std::string> write = {};  ///< folders in which it may do everything
  std::vector<std::string> sockets = {};  ///< folders in which it may create Unix sockets
};

/// The measures of a sandbox: those that hold, and those that this kernel or container refuses.
/// Words with a space in between, for logs.
struct SandboxReport {
  std::string active = {};
  std::string missing = {};
};

/// Restricts this process for the rest of its life, as far as the kernel and the container allow;
/// never fails. Call it before the first thread is started: threads that exist keep more rights.
///
/// - `no_new_privs`, `rlimits`: no core dumps; bounded open files and address space
/// - `network_namespace`: no network at all, with Network::kUnixSockets
/// - `capabilities`: those of root are dropped, except for reading and writing files of others
/// - `landlock`: no file but those of the policy, of the system's libraries and of GPUs; no ptrace
///   and no signals to other processes; no TCP with Network::kUnixSockets
/// - `seccomp`: no new programs or processes, no ptrace, no mounts, namespaces, keys, BPF, io_uring
///   or modules, no signals to others, no sockets of other families
SandboxReport enterSandbox(const SandboxPolicy& policy);

/// Takes away the right to create, bind and connect sockets, from all threads of the process. Those
/// that are open go on. @return false if the kernel has no such filters
bool denyNewSockets();

}  // namespace spindle
