#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "automation/rules/scope.h"
#include "base/core/result.h"
#include "identity/store/page.h"

namespace spindle::automation {

/// Returns true if the caller may see automations and deliveries in the scope.
using SeesScope = std::function<Result<bool>(const Scope& scope)>;

namespace detail {

inline std::string pageEnd(const std::string& id) { return id; }
inline std::string pageEnd(std::int64_t number) { return std::to_string(number); }

}  // namespace detail

/// Returns a page of the items that the caller may see. `read(after, count)` returns up to `count`
/// items after a position, and `position(item)` the position of an item. `sees(item)` returns true
/// for a visible item.
template <class Item, class Position, class Read, class PositionOf, class Sees>
Result<identity::Page<Item>> visiblePage(
    int limit, Position after, const Read& read, const PositionOf& position, const Sees& sees) {
  const auto wanted = static_cast<std::size_t>(limit) + 1;
  std::vector<Item> found;
  while (found.size() < wanted) {
    std::vector<Item> next = TRY(read(after, limit + 1));
    for (Item& item : next) {
      after = position(item);
      const bool visible = TRY(sees(item));
      if (visible && found.size() < wanted) found.push_back(std::move(item));
    }
    if (next.size() < wanted) break;
  }
  return identity::pageOf(std::move(found), limit,
                          [&](const Item& item) { return detail::pageEnd(position(item)); });
}

}  // namespace spindle::automation
