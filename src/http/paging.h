#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/parameters.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::http {

/// `?limit=` and `?cursor=` of a list. Parameters of a list derive from it.
struct PageQuery {
  std::int64_t limit = 50;
  std::string cursor;
};

/// `{"items":[…],"next_cursor":…}`
template <class T>
struct PageReply {
  std::vector<T> items;
  std::optional<std::string> next_cursor;
};

template <class P>
Parameters<P> pageParameters() {
  Parameters<P> parameters;
  parameters
      .query("limit", &PageQuery::limit, schema::integer({.ge = 1, .le = 200}),
             "How many items at most.")
      .query("cursor", &PageQuery::cursor, schema::string({.max_length = 1024}),
             "Where to go on: `next_cursor` of the previous page.");
  return parameters;
}

template <class T>
schema::Codec<PageReply<T>> pageCodec(const std::string& name, const schema::Codec<T>& item) {
  return schema::Record<PageReply<T>>(name)
      .required("items", &PageReply<T>::items, schema::list(item), "")
      .required("next_cursor", &PageReply<T>::next_cursor, schema::nullable(schema::string()),
                "Pass it as `cursor` for the next page; null at the end.")
      .codec();
}

/// An opaque text for the position a page ended at.
std::string encodeCursor(std::string_view position);

/// The position in a cursor, empty for the first page.
/// @return kInvalidSchema for a text that no server of ours made.
Result<std::string> decodeCursor(const std::string& cursor);

/// The kInvalidSchema for a cursor whose position a list cannot have.
Error foreignCursor(const std::string& cursor);

}  // namespace spindle::http
