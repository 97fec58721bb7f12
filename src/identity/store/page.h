#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spindle::identity {

/// The size and start of a requested page. Lists run from the newest item to the oldest.
struct PageRequest {
  int limit = 50;     ///< 1 to 200
  std::string after;  ///< the last id of the previous page; empty for the first page

  /// Returns the id that the ids of the page are below: `~` is above every id.
  std::string_view below() const { return after.empty() ? std::string_view("~") : after; }
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
/// For items with an `id`.
template <class T>
Page<T> pageOf(std::vector<T> items, const PageRequest& request) {
  return pageOf(std::move(items), request.limit, [](const T& item) { return item.id; });
}

}  // namespace spindle::identity
