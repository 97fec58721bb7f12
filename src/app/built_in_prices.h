#pragma once

#include <vector>

#include "pricing/price.h"

namespace spindle::app {

/// The prices of data/prices, compiled into the program.
std::vector<pricing::Price> builtInPrices();

}  // namespace spindle::app
