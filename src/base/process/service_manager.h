#pragma once

#include <string>

namespace spindle {

/// Sends a state such as `READY=1` to the service manager that started this process, if it asked
/// for states (systemd: `Type=notify`, which sets NOTIFY_SOCKET). Does not block.
/// @return false when nothing was sent: no service manager, or its socket does not accept.
bool notifyServiceManager(const std::string& state);

}  // namespace spindle
