#pragma once

#include <string>
#include <vector>

namespace spindle {

/// Restrictions of a child process of the server. The child processes files from outside, so a bug
/// in a library must not expose the server's secrets or its network.
struct SandboxPolicy {
  enum class Network {
    kUnixSockets,  ///< only Unix sockets, in a separate network namespace where possible
    kInternet,     ///< also IPv4, IPv6 and name resolution
  };

  Network network = Network::kUnixSockets;
  std::vector<std::string> read = {};   ///< readable files and folders, in addition to the system's
  std::vector<std::string> write = {};  ///< folders with full access
  std::vector<std::string> sockets = {};  ///< folders in which it may create Unix sockets
};

/// The restrictions of a sandbox: active ones, and those that this kernel or container refuses.
/// Names separated by spaces, for logs.
struct SandboxReport {
  std::string active = {};
  std::string missing = {};
};

/// Restricts this process permanently, as far as the kernel and the container allow; never fails.
/// Call before the first thread starts, because existing threads keep their rights.
///
/// - `no_new_privs`, `rlimits`: no core dumps; limited open files and address space
/// - `network_namespace`: no network at all, with Network::kUnixSockets
/// - `capabilities`: drops those of root, except for reading and writing files of other users
/// - `landlock`: only files of the policy, of the system's libraries and of GPUs; no ptrace
///   and no signals to other processes; no TCP with Network::kUnixSockets
/// - `seccomp`: no new programs or processes, no ptrace, no mounts, namespaces, keys, BPF, io_uring
///   or modules, no signals to others, no sockets of other families
SandboxReport enterSandbox(const SandboxPolicy& policy);

/// Prevents all threads of the process from creating, binding and connecting sockets. Open sockets
/// continue to work. @return false if the kernel does not support such filters
bool denyNewSockets();

}  // namespace spindle
