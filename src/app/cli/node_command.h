#pragma once

#include "app/cli/server_flags.h"

namespace spindle::app {

struct ListNodes {};

/// `spindle node`.
using NodeCommand = ManagementCommand<ListNodes>;

}  // namespace spindle::app
