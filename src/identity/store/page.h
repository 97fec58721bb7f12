#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::identity {

/// The size and start of a requested page. Lists run from the newest item to the oldest.
struct PageRequest {
  int limit = 50;     ///< 1 to 200
  std::string after;  ///< the last id of the previous page; empty for the first page
};

template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::string> next;  ///< the next value of `after`; empty at the end of the list
};

/// Makes a page from up to limit + 1 items. The extra item only shows that more items exist.
template <class T, class IdOf>
Page<T> pageOf(std::vector<T> items, int limit, IdOf id_of) {
  Page<T> page{std::move(items), std::nullopt};
  if (page.items.size() > static_cast<std::size_t>(limit)) {
    page.items.erase(page.items.begin() + limit, page.items.end());
    page.next = id_of(page.items.back());
  }
  return page;
}

}  // namespace spindle::identity
