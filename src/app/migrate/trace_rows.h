#pragma once

#include <cstddef>
#include <cstdint>
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

/// The form of the rows of a family.
enum class RowForm {
  kStored,    ///< as in a store of the same engine
  kPortable,  ///< the same for every engine: clickhouse/rows describes it
};

/// All rows of a trace store, of every state: also tombstones and calls without a start. For one
/// thread at a time; blocks.
class TraceRows {
 public:
  using Take = std::function<Result<void>(TraceBatch batch)>;

  virtual ~TraceRows() = default;

  /// Returns the ids of the projects that have rows, sorted.
  virtual Result<std::vector<std::string>> projects() = 0;

  /// Returns the approximate number of all rows, for displays.
  virtual Result<std::int64_t> count() = 0;

  /// Passes all rows after a position (empty: all) to `take`, in batches of a few megabytes. Stops
  /// at the first error of `take` and returns it.
  virtual Result<void> read(columnar::FamilyId family,
                            std::string_view project,
                            const std::string& after,
                            RowForm form,
                            const Take& take) = 0;

  /// Returns the form of the rows that write() takes from the store of another engine.
  virtual RowForm writtenForm() const = 0;

  /// Adds rows, or replaces those with the same key. They are durable when it returns.
  virtual Result<void> write(columnar::FamilyId family,
                             std::string_view project,
                             std::vector<columnar::Row> rows) = 0;

  /// Deletes all rows.
  virtual Result<void> clear() = 0;

  /// Returns the kTime column after which the store may delete a row of the family at any moment; 0
  /// for none.
  virtual std::size_t expiryColumn(columnar::FamilyId family) const = 0;

  /// Prepares the store for the rows of a move. `is_known`: the data folder of the store has
  /// positions of this move. @return true if all rows are known to come from this move; kConflict
  /// with a message for the operator if rows of another origin could be mixed with them.
  virtual Result<bool> beginMove(const std::string& move, bool is_known) = 0;
  /// Makes the store usable for servers.
  virtual Result<void> endMove() = 0;
};

}  // namespace spindle::app
