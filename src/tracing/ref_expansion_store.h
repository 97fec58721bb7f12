#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tracing/call_fields_store.h"
#include "tracing/ref_values.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// Most expansions that one query may use.
inline constexpr std::size_t kMaxExpansions = 10;

/// Looks up the references in the calls of a project that fields in use go through.
/// `from` names the rows; `used` are field paths. Expansions that no field goes through cost
/// nothing. @return kInvalidArgument for too many expansions, or too many different references;
/// kUnprocessable for an expansion in use that is not below a column of JSON.
Result<std::vector<ExpandedRefs>> expandRefs(columnar::Snapshot& snapshot,
                                             SqlView from,
                                             std::string_view project_id,
                                             const std::vector<std::string>& expand_columns,
                                             const std::set<std::string>& used,
                                             RefValues& values);

}  // namespace spindle::tracing
