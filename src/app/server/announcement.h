#pragma once

#include <string>

#include "identity/access/admin_bootstrap.h"

namespace spindle::app {

/// Prints the URL for the operator, and for scripts that wait for the line. Also prints where the
/// administrator's API key is, and `sign_in_link` unless it is empty.
void announce(const std::string& url,
              const identity::AdminKey& admin,
              const std::string& sign_in_link);

}  // namespace spindle::app
