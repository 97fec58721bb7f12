#pragma once

#include "base/core/log.h"

namespace spindle::cluster {

inline constexpr Logger kLog("cluster");

}  // namespace spindle::cluster
