#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/ref_conversion.h"
#include "schema/type.h"
#include "tracing/call_selection.h"

namespace spindle::tracing {

/// Longest list that a filter may hold.
inline constexpr std::size_t kMaxFilterList = 1000;

schema::Codec<CallFilter> callFilterCodec();

/// @return kInvalidArgument for a list that is too long.
Result<void> checkFilterList(std::string_view name, const std::vector<std::string>& list);

/// What a client asks of calls, made ready for the store: references in the filter and in literals
/// become internal, runs get their project, lists and numbers are checked.
/// @return kInvalidArgument.
Result<CallSelection> selectionOf(std::optional<CallFilter> filter,
                                  std::optional<query::Query> query,
                                  std::optional<std::vector<std::string>> expand_columns,
                                  const ProjectScope& project,
                                  objects::RefProjects& projects);

/// @return kInvalidArgument for negative numbers.
Result<CallPage> pageOf(std::optional<std::vector<query::SortKey>> sort_by,
                        std::optional<std::int64_t> limit,
                        std::optional<std::int64_t> offset);

}  // namespace spindle::tracing
