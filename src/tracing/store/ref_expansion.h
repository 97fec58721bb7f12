#pragma once

#include <cstddef>
#include <functional>
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

/// Returns different texts that calls contain at a path inside a column, among them all internal
/// references; at most `limit`.
using TextsAt = std::function<Result<std::vector<std::string>>(
    SqlName column, const std::vector<std::string>& path, std::size_t limit)>;

/// Looks up the references in the calls of a project that the used fields pass through. `used` are
/// field paths. Expansions that no field uses cost nothing.
/// @return kInvalidArgument for too many expansions or too many different references;
/// kUnprocessable for a used expansion that is not below a JSON column.
Result<std::vector<ExpandedRefs>> expandRefs(const TextsAt& texts_at,
                                             std::string_view project_id,
                                             const std::vector<std::string>& expand_columns,
                                             const std::set<std::string>& used,
                                             RefValues& values);

/// Returns the function that reads the rows `from` of a snapshot, which must outlive it.
TextsAt textsIn(columnar::Snapshot& snapshot, SqlText from);

}  // namespace spindle::tracing
