#pragma once

#include "base/process/sandbox.h"

namespace spindle {

/// Restricts file access of this thread, and of threads that it starts, with Landlock. Requires
/// no_new_privs. @return the active Landlock version; 0 if the kernel has none
int restrictFiles(const SandboxPolicy& policy);

}  // namespace spindle
