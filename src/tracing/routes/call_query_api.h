#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "identity/api/project_id_codec.h"
#include "objects/values/ref_conversion.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/type.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {

/// Maximum length of a list in a filter.
inline constexpr std::size_t kMaxFilterList = 1000;

schema::Codec<CallFilter> callFilterCodec();

/// The calls that a request body selects.
struct CallSelectionBody {
  std::string project_id;
  std::optional<CallFilter> filter;
  std::optional<query::Query> query;
};
/// Starts the record of a request body with the members of CallSelectionBody.
template <class Body>
schema::Record<Body> callSelectionRecord(std::string name) {
  schema::Record<Body> record = identity::projectRecord<Body>(std::move(name));
  record.optional("filter", &Body::filter, schema::nullable(callFilterCodec()))
      .optional("query", &Body::query, schema::nullable(query::queryCodec()));
  return record;
}

/// Sort order and page in a request body.
struct PageBody {
  std::optional<std::vector<query::SortKey>> sort_by;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};
/// The codec of a number that pageOf() checks, with 400.
schema::Codec<std::optional<std::int64_t>> pageNumberCodec();
/// Adds `limit` and `offset` to the record of a request body.
template <class Body>
schema::Record<Body>& addPage(schema::Record<Body>& record) {
  return record.optional("limit", &Body::limit, pageNumberCodec(), "Null: all.")
      .optional("offset", &Body::offset, pageNumberCodec());
}

/// @return kInvalidArgument for a list that is too long.
Result<void> checkFilterList(std::string_view name, const std::vector<std::string>& list);

/// Converts a request for calls to a query of the store: makes references in the filter and in
/// literals internal, qualifies runs with their project, and validates lists and numbers.
/// @return kInvalidArgument.
Result<CallQuery> callQueryOf(std::optional<CallFilter> filter,
                              std::optional<query::Query> query,
                              std::optional<std::vector<std::string>> expand_columns,
                              const ProjectScope& project,
                              objects::RefProjects& projects);

/// @return kInvalidArgument for negative numbers.
Result<CallPage> pageOf(std::optional<std::vector<query::SortKey>> sort_by,
                        std::optional<std::int64_t> limit,
                        std::optional<std::int64_t> offset);

}  // namespace spindle::tracing
