#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/expression.h"
#include "query/position.h"

namespace spindle::tracing {

/// A filter on calls; all conditions must hold. An absent or empty list is no condition, but for
/// threads and turns an empty list matches nothing. References are in their internal form.
struct CallFilter {
  std::optional<std::vector<std::string>> op_names = {};  ///< `…:*` matches every version
  std::optional<std::vector<std::string>> input_refs = {};
  std::optional<std::vector<std::string>> output_refs = {};
  std::optional<std::vector<std::string>> parent_ids = {};
  std::optional<std::vector<std::string>> trace_ids = {};
  std::optional<std::vector<std::string>> call_ids = {};
  std::optional<std::vector<std::string>> thread_ids = {};
  std::optional<std::vector<std::string>> turn_ids = {};
  std::optional<bool> trace_roots_only = {};
  std::optional<std::vector<std::string>> svc_user_ids = {};
  std::optional<std::vector<std::string>> svc_run_ids = {};
};

struct CallQuery {
  CallFilter filter = {};
  std::optional<query::Query> query = {};
  /// Paths whose references are expanded for filters and sort keys.
  std::vector<std::string> expand_columns = {};
};

/// Sort order and page.
struct CallPage {
  std::optional<std::vector<query::SortKey>> sort_by = {};  ///< absent: by start, then id
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
  /// Makes the reader tell where the page ends. Requires a limit of at most kMaxPositionedRows.
  bool positions = false;
  /// The page starts after this position, which a page with the same query and order has told.
  std::optional<query::Position> after = {};
};
inline constexpr std::int64_t kMaxPositionedRows = 10'000;

/// The project of a query, with both of its identifiers.
struct ProjectScope {
  std::string id;    ///< internal; empty if the project does not exist yet
  std::string name;  ///< entity/project
};

}  // namespace spindle::tracing
