#pragma once

#include <string>
#include <vector>

#include "pricing/price_choice.h"
#include "query/sql.h"

namespace spindle::pricing {

/// What the models cost now as a table in SQL, without a name: model, prompt, completion,
/// cache_read, cache_creation. Those without a price are not in it.
query::Sql priceTable(const std::vector<std::string>& models, const ProjectPrices& prices);

}  // namespace spindle::pricing
