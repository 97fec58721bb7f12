#include "pricing/price_table_sql.h"

#include <utility>

namespace spindle::pricing {

query::Sql priceTableSql(const std::vector<std::string>& models, const ProjectPrices& prices) {
  std::vector<std::string> priced;
  SqlText prompt;
  SqlText completion;
  SqlText cache_read;
  SqlText cache_creation;
  for (const std::string& model : models) {
    const Price* price = prices.current(model);
    if (price == nullptr) continue;
    const SqlView comma = priced.empty() ? SqlView() : SqlView(",");
    const auto append = [comma](SqlText& list, double value) {
      list.add(comma).add(SqlText::real(value));
    };
    append(prompt, price->tokens.prompt);
    append(completion, price->tokens.completion);
    append(cache_read, price->tokens.cache_read);
    append(cache_creation, price->tokens.cache_creation);
    priced.push_back(model);
  }
  query::Sql sql("(SELECT unnest(CAST(");
  sql.param(std::move(priced)).add(" AS VARCHAR[])) AS model");
  const auto column = [&sql](const SqlText& list, SqlName name) {
    sql.add(", unnest(CAST([" + list + "] AS DOUBLE[])) AS ").add(name);
  };
  column(prompt, "prompt");
  column(completion, "completion");
  column(cache_read, "cache_read");
  column(cache_creation, "cache_creation");
  return sql.add(")");
}

}  // namespace spindle::pricing
