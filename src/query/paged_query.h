#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "query/codec.h"
#include "query/expression.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::query {

/// The members of a request for a page of rows.
struct PagedQuery {
  std::optional<std::vector<std::string>> fields;
  std::optional<Query> query;
  std::optional<std::vector<SortKey>> sort_by;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};

/// The descriptions of the members in the API.
struct PagedQueryTexts {
  std::string_view fields;
  std::string_view query;
  std::string_view sort_by;
  std::string_view limit;
  std::string_view offset;
};

/// Returns the codec of a limit or an offset. It only documents that the number is not negative;
/// checkPage() refuses a negative one with the status and message of the original service.
schema::Codec<std::optional<std::int64_t>> rowCountCodec();
/// @return kInvalidArgument for a negative number.
Result<void> checkPage(const std::optional<std::int64_t>& limit,
                       const std::optional<std::int64_t>& offset);

/// Adds the members of a PagedQuery to the record of a body that derives from it.
template <class Body>
schema::Record<Body>& addPagedQuery(schema::Record<Body>& record, const PagedQueryTexts& texts) {
  using schema::nullable;
  const auto count = rowCountCodec();
  return record
      .optional("fields", &PagedQuery::fields, nullable(schema::list(schema::string())),
                texts.fields)
      .optional("query", &PagedQuery::query, nullable(queryCodec()), texts.query)
      .optional("sort_by", &PagedQuery::sort_by, nullable(sortCodec()), texts.sort_by)
      .optional("limit", &PagedQuery::limit, count, texts.limit)
      .optional("offset", &PagedQuery::offset, count, texts.offset);
}

}  // namespace spindle::query
