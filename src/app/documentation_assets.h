#pragma once

#include <span>

#include "http/static_assets.h"

namespace spindle::http {

/// The files of web/docs, compiled into the program.
std::span<const Asset> documentationAssets();

}  // namespace spindle::http
