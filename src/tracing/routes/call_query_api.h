#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"
#include "schema/type.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {

/// Maximum length of a list in a filter.
inline constexpr std::size_t kMaxFilterList = 1000;

schema::Codec<CallFilter> callFilterCodec();

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
