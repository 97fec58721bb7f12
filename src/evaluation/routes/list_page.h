#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "evaluation/routes/evaluation_api.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::evaluation {

/// A project and a part of a list that has an order and cursors.
struct ListPath : PagedPath {
  std::string order = "oldest";
  std::string cursor;
  bool include_cursor = false;

  bool newestFirst() const { return order == "newest"; }
};

/// Adds the parameters of a list. P must derive from ListPath.
template <class P>
void addListParameters(http::Parameters<P>& parameters) {
  addPaging(parameters);
  parameters
      .query("order", &P::order, schema::literal({"oldest", "newest"}), "Which items come first.")
      .query("cursor", &P::cursor, schema::string({.max_length = 1024}),
             "`next_cursor` of the previous page; empty for the first page. Valid with the same "
             "`order` and filters, and without `offset`.")
      .query("include_cursor", &P::include_cursor, schema::boolean(),
             "End the list with the line `{\"next_cursor\": …}`.");
}

/// The last line of a list with `include_cursor`.
struct CursorLine {
  std::optional<std::string> next_cursor;
};
schema::Codec<CursorLine> cursorLineCodec();
/// Returns the line for a cursor from cursorAfter(), or for the last page.
std::string cursorLine(std::optional<std::string> next_cursor);

/// Returns the type of the lines of a list: items, then a CursorLine if it was asked for.
template <class View>
schema::TypePtr lineType(const schema::Codec<View>& item) {
  return schema::anyOf(schema::Alternative<View>{"item", item},
                       schema::Alternative<CursorLine>{"cursor", cursorLineCodec()})
      .type();
}

/// The fields of an item by which a list is sorted, as text without line breaks.
using ListPosition = std::vector<std::string>;

/// Returns the cursor of the items that follow an item.
std::string cursorAfter(const ListPath& path, const ListPosition& position);

/// Returns the position in the cursor of a request, `fields` texts; nothing for the first page.
/// @return kInvalidSchema for a cursor of another list or order; kInvalidArgument for a cursor with
/// an offset.
Result<std::optional<ListPosition>> positionOf(const ListPath& path, std::size_t fields);

/// Returns the integer of a position. @return kInvalidSchema.
Result<std::int64_t> integerAt(const ListPath& path, const std::string& text);

}  // namespace spindle::evaluation
