#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/migrate/migrate.h"
#include "app/migrate/move_positions.h"
#include "app/migrate/row_digest.h"
#include "app/migrate/trace_rows.h"
#include "base/core/time.h"

namespace spindle::app {

/// The traces of both sides of a move: calls, spans, feedback, run histories, usage. All functions
/// throw std::runtime_error with a message for the operator.
class TraceMove {
 public:
  /// `families` are those of both stores. All arguments must outlive this object.
  TraceMove(TraceRows& from,
            TraceRows& to,
            const std::vector<columnar::Family>& families,
            MovePositions& positions,
            const MigrateOptions& options);

  /// Refuses a target that has rows of another origin. `is_new`: nothing was copied yet, so that it
  /// must be empty.
  void prepareTarget(bool is_new);
  /// Copies the rows that the target lacks.
  void copy();
  /// Compares both sides. Rows that expire within an hour after `now` are not compared.
  StoreReport verify(Timestamp now);

 private:
  /// Returns true for a row that one of the stores may delete during the comparison.
  bool mayVanish(columnar::FamilyId family, const columnar::Row& row) const;
  /// Visits the portable forms of all rows that can be compared.
  Result<void> forEachRow(TraceRows& rows,
                          columnar::FamilyId family,
                          const std::string& project,
                          const std::function<void(const columnar::Row& row)>& visit);
  PartitionDigest digest(TraceRows& rows,
                         columnar::FamilyId family,
                         const std::string& project,
                         transfer::Progress& progress);
  RowsByKey part(TraceRows& rows,
                 columnar::FamilyId family,
                 const std::string& project,
                 std::size_t which);

  TraceRows& from_;
  TraceRows& to_;
  const std::vector<columnar::Family>& families_;
  MovePositions& positions_;
  const MigrateOptions& options_;
  std::int64_t done_ = 0;    ///< compared rows
  Timestamp compared_from_;  ///< rows that expire earlier are not compared
};

}  // namespace spindle::app
