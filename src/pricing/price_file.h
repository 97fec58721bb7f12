#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "pricing/price.h"

namespace spindle::pricing {

/// A file of default prices.
struct PriceFile {
  Timestamp date;  ///< when the file was compiled
  std::vector<Price> prices;
};

/// Parses the built-in price file (data/prices/prices.json): for each model a list of prices with
/// their effective dates. @return kInvalidArgument.
Result<PriceFile> readBuiltInPriceFile(std::string text);

struct CommunityPriceFile {
  std::vector<Price> prices;
  std::size_t skipped = 0;  ///< entries without a token price
};

/// Parses the community price file (LiteLLM's format): a map from model to `input_cost_per_token`,
/// `output_cost_per_token`, `cache_read_input_token_cost`, `cache_creation_input_token_cost`,
/// `litellm_provider` and other keys. The file has no dates, so its prices are effective from
/// `date`.
/// @return kInvalidArgument when it has another format.
Result<CommunityPriceFile> readCommunityPriceFile(std::string text, Timestamp date);

}  // namespace spindle::pricing
