#pragma once

#include <string>
#include <vector>

#include "pricing/project_prices.h"
#include "query/dialect.h"
#include "query/sql.h"

namespace spindle::pricing {

/// Returns the current prices of the models as an unnamed SQL table with the columns model, prompt,
/// completion, cache_read and cache_creation. Models without a price have no row.
query::Sql priceTableSql(const std::vector<std::string>& models,
                         const ProjectPrices& prices,
                         const query::Dialect& dialect = query::duckDbDialect());

}  // namespace spindle::pricing
