#include "pricing/price_table_store.h"

#include <string_view>
#include <utility>

#include "json/writer.h"

namespace spindle::pricing {

query::Sql priceTable(const std::vector<std::string>& models, const ProjectPrices& prices) {
  std::vector<std::string> priced;
  std::string prompt;
  std::string completion;
  std::string cache_read;
  std::string cache_creation;
  for (const std::string& model : models) {
    const Price* price = prices.current(model);
    if (price == nullptr) continue;
    const std::string_view comma = priced.empty() ? "" : ",";
    const auto append = [comma](std::string& list, double value) {
      list.append(comma).append(json::shortestNumber(value));
    };
    append(prompt, price->tokens.prompt);
    append(completion, price->tokens.completion);
    append(cache_read, price->tokens.cache_read);
    append(cache_creation, price->tokens.cache_creation);
    priced.push_back(model);
  }
  query::Sql sql("(SELECT unnest(CAST(");
  sql.param(std::move(priced)).add(" AS VARCHAR[])) AS model");
  const auto column = [&sql](const std::string& list, std::string_view name) {
    sql.add(", unnest(CAST([" + list + "] AS DOUBLE[])) AS ").add(name);
  };
  column(prompt, "prompt");
  column(completion, "completion");
  column(cache_read, "cache_read");
  column(cache_creation, "cache_creation");
  return sql.add(")");
}

}  // namespace spindle::pricing
