#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "pricing/price.h"

namespace spindle::pricing {

/// Prices by model. Filled, then only read.
class PriceTable {
 public:
  PriceTable() = default;
  explicit PriceTable(std::vector<Price> prices);

  /// Every price of the model, in the order they were given.
  const std::vector<Price>& find(std::string_view llm_id) const;
  std::size_t size() const { return size_; }
  /// The models, sorted.
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

/// The prices that count in one project: its own and the defaults. Immutable, thread-safe.
class ProjectPrices {
 public:
  using Tables = std::vector<std::shared_ptr<const PriceTable>>;

  /// Of prices that are equal in all that counts, the one made last wins, so that a correction
  /// does; among those made at once, the one of the later table.
  explicit ProjectPrices(Tables tables) : tables_(std::move(tables)) {}

  /// The price of a call: those in effect when it started before those that were not, the project's
  /// before the defaults, the newest. Null when the model has none. The pointer is valid as long as
  /// this object.
  const Price* choose(std::string_view llm_id, Timestamp started_at) const;

  /// The best price whatever the date of a call: the project's before the defaults, the newest.
  const Price* current(std::string_view llm_id) const;

 private:
  template <class Better>
  const Price* best(std::string_view llm_id, Better better) const;

  Tables tables_;
};

}  // namespace spindle::pricing
