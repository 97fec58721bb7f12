#include "pricing/price_query.h"

#include <algorithm>
#include <utility>

#include "pricing/price_expression.h"
#include "query/paged_query.h"

namespace spindle::pricing {
namespace {

using query::Expression;
using query::Operator;

Result<void> sortPrices(std::vector<Price>& prices,
                        const std::vector<query::SortKey>& keys,
                        std::string_view project) {
  std::vector<std::pair<const PriceField*, bool>> fields;
  for (const query::SortKey& key : keys) {
    const PriceField* field = findPriceField(key.field);
    if (field == nullptr) return unknownPriceField(key.field);
    fields.emplace_back(field, key.descending);
  }
  std::stable_sort(prices.begin(), prices.end(), [&](const Price& a, const Price& b) {
    for (const auto& [field, descending] : fields) {
      const PriceValue left = field->of(a, project);
      const PriceValue right = field->of(b, project);
      if (left != right) return descending ? right < left : left < right;
    }
    return false;
  });
  return {};
}

/// Reduces the list to the requested page.
Result<void> applyPage(std::vector<Price>& prices, const PriceQuery& request) {
  TRY(query::checkPage(request.limit, request.offset));
  const auto size = static_cast<std::int64_t>(prices.size());
  const std::int64_t first = std::min(request.offset.value_or(0), size);
  const std::int64_t count = std::min(request.limit.value_or(size), size - first);
  prices.erase(prices.begin(), prices.begin() + first);
  prices.resize(static_cast<std::size_t>(count));
  return {};
}

Error notPurgeable() {
  return Error::invalidArgument("Can only purge costs by specifying one or more cost ids");
}

/// Returns the original service's name for an expression that stands in place of a field.
std::string_view expressionKind(const Expression& expression) {
  switch (expression.op) {
    case Operator::kLiteral:
      return "literal_";
    case Operator::kConvert:
      return "convert_";
    case Operator::kSize:
      return "size_";
    default:
      return "operation_";
  }
}

/// Expects `{"$getField":"id"}` first, then string literals.
Result<void> collectIds(const Expression& expression, std::vector<std::string>& ids) {
  const Expression& field = expression.operands.front();
  if (field.op != Operator::kField)
    return Error::invalidArgument("Expected key get_field_, got " +
                                  std::string(expressionKind(field)));
  if (field.field != "id") return notPurgeable();
  for (std::size_t i = 1; i < expression.operands.size(); ++i) {
    const auto* id = std::get_if<std::string>(&expression.operands[i].literal);
    if (expression.operands[i].op != Operator::kLiteral || id == nullptr) return notPurgeable();
    ids.push_back(*id);
  }
  return {};
}

}  // namespace

Result<std::vector<Price>> queryPrices(std::vector<Price> prices,
                                       const PriceQuery& request,
                                       std::string_view project) {
  if (request.query) {
    // Validate the query once, so that an invalid one fails even when the project has no prices.
    TRY(matches(Price(), *request.query, project));
    std::vector<Price> chosen;
    for (Price& price : prices) {
      if (TRY(matches(price, *request.query, project))) chosen.push_back(std::move(price));
    }
    prices = std::move(chosen);
  }
  TRY(sortPrices(prices, request.sort, project));
  TRY(applyPage(prices, request));
  return prices;
}

Result<std::vector<std::string>> idsToPurge(const query::Query& query) {
  const Expression& expression = query.expression;
  std::vector<std::string> ids;
  if (expression.op == Operator::kEq || expression.op == Operator::kIn) {
    TRY(collectIds(expression, ids));
    return ids;
  }
  if (expression.op != Operator::kOr || expression.operands.empty()) return notPurgeable();
  for (const Expression& each : expression.operands) {
    if (each.op != Operator::kEq) return notPurgeable();
    TRY(collectIds(each, ids));
  }
  return ids;
}

}  // namespace spindle::pricing
