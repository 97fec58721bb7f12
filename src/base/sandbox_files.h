#pragma once

#include "base/sandbox.h"

namespace spindle {

/// Restricts file access of this thread, and of those it starts, with Landlock. Needs no_new_privs.
/// @return the version of Landlock that is in force; 0: the kernel has none
int restrictFiles(const SandboxPolicy& policy);

}  // namespace spindle
