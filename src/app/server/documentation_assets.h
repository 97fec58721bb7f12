#pragma once

#include <span>

#include "http/router/static_assets.h"

namespace spindle::http {

/// Returns the files of web/docs, which are compiled into the program.
std::span<const Asset> documentationAssets();

}  // namespace spindle::http
