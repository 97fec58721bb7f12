#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/paging.h"
#include "objects/api/name_codecs.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::objects {

/// One field to sort a list by.
struct SortBody {
  std::string field;
  std::string direction;

  bool descending() const { return direction == "desc"; }
};

/// The part and the order of a list that a request asks for.
struct ListBody {
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
  std::optional<std::vector<SortBody>> sort_by;

  std::vector<SortBody> sortKeys() const { return sort_by.value_or(std::vector<SortBody>()); }
  /// Sets the limit and the offset of a query.
  template <class Query>
  void setPage(Query& query) const {
    if (limit) query.limit = boundedRows(*limit);
    query.offset = boundedRows(offset.value_or(0));
  }
};

/// Adds the members of a ListBody to the record of a type derived from it.
template <class Body>
schema::Record<Body>& addListMembers(schema::Record<Body>& record, std::string_view sort_doc) {
  const schema::Codec<SortBody> sort =
      schema::Record<SortBody>("ListSort")
          .required("field", &SortBody::field, schema::string(), "What to sort by.")
          .required("direction", &SortBody::direction, schema::literal({"asc", "desc"}))
          .codec();
  return record.optional("limit", &ListBody::limit, pagingCodec())
      .optional("offset", &ListBody::offset, pagingCodec())
      .optional("sort_by", &ListBody::sort_by,
                schema::nullable(schema::list(sort, {.max_items = kMaxSortKeys})), sort_doc);
}

}  // namespace spindle::objects
