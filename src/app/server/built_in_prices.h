#pragma once

#include <vector>

#include "pricing/price.h"

namespace spindle::app {

/// Returns the prices of data/prices, which are compiled into the program.
std::vector<pricing::Price> builtInPrices();

}  // namespace spindle::app
