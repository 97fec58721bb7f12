#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "http/router/parameters.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::http {

/// `?limit=` and `?cursor=` of a list. Base class of the parameters of a list.
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
             "Maximum number of items.")
      .query("cursor", &PageQuery::cursor, schema::string({.max_length = 1024}),
             "`next_cursor` of the previous page; empty for the first page.");
  return parameters;
}

template <class T>
schema::Codec<PageReply<T>> pageCodec(const std::string& name, const schema::Codec<T>& item) {
  return schema::Record<PageReply<T>>(name)
      .required("items", &PageReply<T>::items, schema::list(item))
      .required("next_cursor", &PageReply<T>::next_cursor, schema::nullable(schema::string()),
                "`cursor` of the next page; null on the last page.")
      .codec();
}

/// Returns an opaque cursor for the position at which a page ended.
std::string encodeCursor(std::string_view position);

/// Returns the position that a cursor contains; empty for the first page.
/// @return kInvalidSchema for a text that encodeCursor() did not produce.
Result<std::string> decodeCursor(const std::string& cursor);

/// Returns the kInvalidSchema error for a cursor whose position is not valid in the list. `part` is
/// the part of the request that contains the cursor: `query` or `body`.
Error invalidCursor(const std::string& cursor, std::string_view part = "query");

}  // namespace spindle::http
