#pragma once

#include <span>

#include "http/router/static_assets.h"

namespace spindle::http {

/// Returns the built files of web/console, which are compiled into the program.
std::span<const Asset> consoleAssets();

}  // namespace spindle::http
