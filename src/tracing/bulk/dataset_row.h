#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "tracing/calls/call.h"
#include "tracing/calls/call_column.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {

/// A column of a dataset: a value of a call.
struct DatasetColumn {
  std::string name;
  /// `id`, `trace_id`, `op_name`, `display_name`, `exception`, `ref` (the reference to the call),
  /// or a path in inputs, output, attributes or summary.
  std::vector<std::string> path;
};

/// Returns a column of that name. @return kInvalidArgument for a path that calls do not have.
Result<DatasetColumn> datasetColumn(std::string name, std::string_view path);

/// The columns of a call that datasetRow() reads.
std::vector<CallColumn> datasetCallColumns();

/// Returns the row of a call as a JSON object. A missing value is null.
std::string datasetRow(const Call& call,
                       const ProjectScope& project,
                       const std::vector<DatasetColumn>& columns);

}  // namespace spindle::tracing
