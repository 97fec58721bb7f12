#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::identity {

/// Which part of a list is wanted. Lists run from the newest to the oldest.
struct PageRequest {
  int limit = 50;     ///< 1 to 200
  std::string after;  ///< the id the previous page ended with; empty for the first page
};

template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::string> next;  ///< what to pass as `after`; empty at the end of the list
};

/// A page out of up to limit + 1 items: the one too many only says that there are more.
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
