#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "columnar/journal/family.h"

namespace spindle::app {

/// Rows of one family and project, as a part of a read.
struct TraceBatch {
  std::vector<columnar::Row> rows;
  /// Set if all rows before this position were passed: a later read may begin there.
  std::optional<std::string> position;
};

/// All rows of a trace store, of every state: also tombstones and calls without a start. For one
/// thread at a time; blocks.
class TraceRows {
 public:
  virtual ~TraceRows() = default;

  /// Returns the ids of the projects that have rows, sorted.
  virtual Result<std::vector<std::string>> projects() = 0;

  /// Passes all rows after a position (empty: all) to `take`, in batches of a few megabytes. Stops
  /// at the first error of `take` and returns it.
  virtual Result<void> read(columnar::FamilyId family,
                            std::string_view project,
                            const std::string& after,
                            const std::function<Result<void>(TraceBatch batch)>& take) = 0;

  /// Adds rows, or replaces those with the same key. They are durable when it returns.
  virtual Result<void> write(columnar::FamilyId family,
                             std::string_view project,
                             std::vector<columnar::Row> rows) = 0;

  /// Deletes all rows of a project.
  virtual Result<void> drop(std::string_view project) = 0;
};

}  // namespace spindle::app
