#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracing/calls/call.h"
#include "tracing/calls/call_column.h"
#include "wire/spelling.h"

namespace spindle::tracing {

/// The members of a call that a reader requested. Members without a flag are always present, unless
/// `only_named` is set.
struct CallMembers {
  bool attributes = true;
  bool inputs = true;
  bool output = true;
  bool summary = true;
  bool display_name = true;
  bool parent_id = true;
  bool thread_id = true;
  bool turn_id = true;
  bool ended_at = true;
  bool exception = true;
  bool user_id = true;
  bool run_id = true;
  bool run_step = true;
  bool run_step_end = true;
  bool expire_at = true;
  // Members that only a response with `only_named` omits.
  bool project_id = true;
  bool op_name = true;
  bool trace_id = true;
  bool started_at = true;
  bool derived = true;  ///< `summary.svc`
  bool deleted_at = true;
  bool storage_size = true;
  bool total_storage_size = true;
  /// Writes `id` and the requested members and omits all others.
  bool only_named = false;

  /// Returns the members named in a list of columns; a nested name selects its column.
  static CallMembers named(const std::vector<std::string>& columns, bool with_costs);
  /// Returns the members for a response that contains nothing else. `summary.svc` and names below
  /// it select the derived members without the stored summary.
  static CallMembers onlyNamed(const std::vector<std::string>& columns);

  /// Returns the columns that must be read to write these members.
  std::vector<CallColumn> columns() const;
};

/// Members added to a call for one reader; JSON, unless a number or a name.
struct CallExtras {
  std::optional<std::string> costs = {};     ///< an object by model
  std::optional<std::string> feedback = {};  ///< a list
  std::optional<std::string> username = {};
  std::optional<std::int64_t> storage_bytes = {};
  std::optional<std::int64_t> total_storage_bytes = {};
  std::optional<std::string> exception_preview = {};  ///< an object, in place of the exception
};

/// Format of calls for one reader.
struct CallFormat {
  std::string_view project;  ///< entity/project
  wire::Spelling spelling = wire::Spelling::kNeutral;
  CallMembers members = {};
};

/// Returns the call as JSON. References are still in their internal form.
std::string callJson(const Call& call, const CallFormat& style, const CallExtras& extras = {});

/// Returns only the member `summary`: the stored summary and the derived members.
std::string summaryJson(const Call& call, const CallFormat& style, const CallExtras& extras = {});

/// Returns `error`, `running`, `descendant_error` or `success`.
std::string_view statusOf(const Call& call);
/// Returns whole milliseconds; empty while the call runs.
std::optional<std::int64_t> latencyOf(const Call& call);
/// Returns the name part of an op reference, or the plain name.
std::string opNameOf(std::string_view op_name);

}  // namespace spindle::tracing
