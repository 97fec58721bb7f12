#include "pricing/project_prices.h"

#include <algorithm>
#include <tuple>

namespace spindle::pricing {
namespace {

/// Sort key of a price; a larger key is preferred.
auto rankOf(const Price& price) {
  return std::make_tuple(price.level == PriceLevel::kProject, price.effective_date,
                         price.created_at);
}

}  // namespace

std::string_view textOf(PriceLevel level) {
  return level == PriceLevel::kProject ? "project" : "default";
}

PriceTable::PriceTable(std::vector<Price> prices) : size_(prices.size()) {
  for (Price& price : prices) {
    std::vector<Price>& of_model = by_model_[price.llm_id];
    of_model.push_back(std::move(price));
  }
}

const std::vector<Price>& PriceTable::find(std::string_view llm_id) const {
  static const std::vector<Price> none;
  const auto found = by_model_.find(llm_id);
  return found == by_model_.end() ? none : found->second;
}

std::vector<std::string> PriceTable::models() const {
  std::vector<std::string> names;
  names.reserve(by_model_.size());
  for (const auto& [name, prices] : by_model_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

template <class Better>
const Price* ProjectPrices::best(std::string_view llm_id, Better better) const {
  const Price* chosen = nullptr;
  for (const std::shared_ptr<const PriceTable>& table : tables_) {
    for (const Price& price : table->find(llm_id)) {
      if (chosen == nullptr || !better(*chosen, price)) chosen = &price;
    }
  }
  return chosen;
}

const Price* ProjectPrices::choose(std::string_view llm_id, Timestamp started_at) const {
  return best(llm_id, [started_at](const Price& a, const Price& b) {
    const bool a_counts = a.effective_date <= started_at;
    const bool b_counts = b.effective_date <= started_at;
    return a_counts != b_counts ? a_counts : rankOf(a) > rankOf(b);
  });
}

const Price* ProjectPrices::current(std::string_view llm_id) const {
  return best(llm_id, [](const Price& a, const Price& b) { return rankOf(a) > rankOf(b); });
}

}  // namespace spindle::pricing
