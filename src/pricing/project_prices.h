#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "pricing/price.h"

namespace spindle::pricing {

/// Prices by model. Immutable after construction.
class PriceTable {
 public:
  PriceTable() = default;
  explicit PriceTable(std::vector<Price> prices);

  /// Returns every price of the model, in the order given to the constructor.
  const std::vector<Price>& find(std::string_view llm_id) const;
  std::size_t size() const { return size_; }
  /// Returns the model names, sorted.
  std::vector<std::string> models() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, std::vector<Price>, Hash, std::equal_to<>> by_model_;
  std::size_t size_ = 0;
};

/// The prices that apply in one project: its own and the defaults. Immutable and thread-safe.
class ProjectPrices {
 public:
  using Tables = std::vector<std::shared_ptr<const PriceTable>>;

  /// When level and effective date are equal, the price with the later created_at wins, so that a
  /// correction takes effect. When created_at is equal too, the price of the later table wins.
  explicit ProjectPrices(Tables tables) : tables_(std::move(tables)) {}

  /// Returns the price of a call, or null if the model has none. Prices in effect at `started_at`
  /// rank before those that were not, then project prices before defaults, then newer before older.
  /// The pointer is valid as long as this object.
  const Price* choose(std::string_view llm_id, Timestamp started_at) const;

  /// Returns the best price regardless of the date of a call: project prices before defaults, then
  /// the newest. Null if the model has none.
  const Price* current(std::string_view llm_id) const;

 private:
  template <class Better>
  const Price* best(std::string_view llm_id, Better better) const;

  Tables tables_;
};

}  // namespace spindle::pricing
