#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "tracing/store/call_fields.h"
#include "tracing/store/ref_values.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// Maximum number of expansions in one query.
inline constexpr std::size_t kMaxExpansions = 10;

/// Looks up the references in the calls of a project that the used fields pass through. `from`
/// names the rows; `used` are field paths. Expansions that no field uses cost nothing.
/// @return kInvalidArgument for too many expansions or too many different references;
/// kUnprocessable for a used expansion that is not below a JSON column.
Result<std::vector<ExpandedRefs>> expandRefs(columnar::Snapshot& snapshot,
                                             SqlView from,
                                             std::string_view project_id,
                                             const std::vector<std::string>& expand_columns,
                                             const std::set<std::string>& used,
                                             RefValues& values);

}  // namespace spindle::tracing
