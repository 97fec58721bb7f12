#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "pricing/price.h"

namespace spindle::pricing {

/// A table of prices of the default level.
struct PriceFile {
  Timestamp date;  ///< when the table was put together
  std::vector<Price> prices;
};

/// Reads the table that comes with the program (data/prices/prices.json): for each model a list of
/// prices, each with the date from which it counts. @return kInvalidArgument.
Result<PriceFile> readPriceTable(std::string text);

struct CommunityFile {
  std::vector<Price> prices;
  std::size_t skipped = 0;  ///< entries that have no price of a token
};

/// Reads the community's common price file, a map from model to `input_cost_per_token`,
/// `output_cost_per_token`, `cache_read_input_token_cost`, `cache_creation_input_token_cost`,
/// `litellm_provider` and much else. It is undated: its prices count from `date` on.
/// @return kInvalidArgument when it is something else.
Result<CommunityFile> readCommunityFile(std::string text, Timestamp date);

}  // namespace spindle::pricing
