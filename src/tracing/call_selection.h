#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/expression.h"

namespace spindle::tracing {

/// Which calls are meant; all clauses must hold. An absent or empty list is no filter, but for
/// threads and turns an empty list matches nothing. References are in their internal form.
struct CallFilter {
  std::optional<std::vector<std::string>> op_names = {};  ///< `…:*` stands for every version
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

struct CallSelection {
  CallFilter filter = {};
  std::optional<query::Query> query = {};
  /// Paths whose values are references: filters and sort keys look through them.
  std::vector<std::string> expand_columns = {};
};

/// In which order, and which part of the whole.
struct CallPage {
  std::optional<std::vector<query::SortKey>> sort_by = {};  ///< absent: by start, then id
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
};

/// The project that is asked, by both of its names.
struct ProjectScope {
  std::string id;    ///< internal; empty when the project does not exist yet
  std::string name;  ///< entity/project
};

}  // namespace spindle::tracing
