#include "pricing/price_table_sql.h"

#include <utility>

namespace spindle::pricing {

query::Sql priceTableSql(const std::vector<std::string>& models,
                         const ProjectPrices& prices,
                         const query::Dialect& dialect) {
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
  using query::FieldKind, query::Sql;
  const auto numbers = [](const SqlText& list) { return Sql("[" + list + "]"); };
  return dialect.tableOf({{"model", FieldKind::kText, Sql().param(std::move(priced))},
                          {"prompt", FieldKind::kReal, numbers(prompt)},
                          {"completion", FieldKind::kReal, numbers(completion)},
                          {"cache_read", FieldKind::kReal, numbers(cache_read)},
                          {"cache_creation", FieldKind::kReal, numbers(cache_creation)}});
}

}  // namespace spindle::pricing
