#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracing/call.h"
#include "tracing/call_column.h"
#include "wire/spelling.h"

namespace spindle::tracing {

/// The members of a call that a reader asked for. The ones that are always there need no word.
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

  /// Those named in a list of columns: nested names count as their column.
  static CallMembers named(const std::vector<std::string>& columns, bool with_costs);

  /// What must be read from the store to write these.
  std::vector<CallColumn> columns() const;
};

/// What is added to a call for one reader, as JSON where it is more than a number.
struct CallExtras {
  std::optional<std::string> costs = {};     ///< an object by model
  std::optional<std::string> feedback = {};  ///< a list
  std::optional<std::string> username = {};
  std::optional<std::int64_t> storage_bytes = {};
  std::optional<std::int64_t> total_storage_bytes = {};
};

/// How calls are written for one reader.
struct CallStyle {
  std::string_view project;  ///< entity/project
  wire::Spelling spelling = wire::Spelling::kNeutral;
  CallMembers members = {};
};

/// The call as JSON. References are still in their internal form.
std::string callJson(const Call& call, const CallStyle& style, const CallExtras& extras = {});

/// Its member `summary` alone: what was stored, and what is derived from the call.
std::string summaryJson(const Call& call, const CallStyle& style, const CallExtras& extras = {});

/// `error`, `running`, `descendant_error` or `success`.
std::string_view statusOf(const Call& call);
/// Whole milliseconds; empty while the call runs.
std::optional<std::int64_t> latencyOf(const Call& call);
/// The name part of an op reference, or the plain name.
std::string opNameOf(std::string_view op_name);

}  // namespace spindle::tracing
