#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "query/dialect.h"
#include "query/sql.h"
#include "tracing/stats/call_facets.h"

namespace spindle::tracing {

/// One row of a result. Null reads as an empty text or as zero.
class EngineRow {
 public:
  virtual ~EngineRow() = default;
  virtual bool isNull(std::size_t column) const = 0;
  virtual std::int64_t integer(std::size_t column) const = 0;
  virtual double real(std::size_t column) const = 0;
  virtual std::string_view text(std::size_t column) const = 0;
};

/// The newest calls of a selection.
struct CallSample {
  std::int64_t rows = 0;                ///< number of calls
  std::optional<Timestamp> since = {};  ///< calls that started earlier are not part of it
};

/// The calls of one project in one engine, for statements that aggregate them, and the SQL in which
/// engines differ beyond query::Dialect. For one thread at a time.
class CallEngine {
 public:
  virtual ~CallEngine() = default;

  virtual const query::Dialect& dialect() const = 0;
  /// Returns the calls of the project as a table without a name.
  virtual const query::Sql& calls() const = 0;

  using Visit = std::function<Result<void>(const EngineRow& row)>;
  /// Runs a statement and visits its rows, until a visit returns an error. A row of a LEFT JOIN
  /// without a match is NULL. @return kUnavailable, kTimeout; the error of a visit.
  virtual Result<void> read(const query::Sql& sql, const Visit& visit) = 0;

  /// Returns the newest calls `c` that satisfy the condition: all, or about as many as the budget
  /// permits. The condition should be fast.
  virtual Result<CallSample> newestCalls(const query::Sql& condition, SampleBudget budget) = 0;
  /// Returns true if the project has more calls, estimated: deleted ones can count.
  virtual Result<bool> hasMoreThan(std::int64_t calls) = 0;

  /// Returns the condition that a time is one of a pseudo-random fraction of all times. `step` is a
  /// power of two.
  virtual SqlText isOneIn(SqlView time, std::int64_t step) const = 0;
  /// Returns an expression that gives a row for each model in the summary of a call `c`, or one row
  /// with NULL.
  virtual SqlView modelsInSummary() const = 0;
  /// Returns the usage in the summaries of calls `c`: a row for each model, with the columns
  /// `model`, `input`, `output`, `total`, `cache_read` and `cache_creation`, and those of
  /// `columns`. `calls` is a table without a name that has them and the summary.
  virtual query::Sql usageInSummaries(const query::Sql& calls,
                                      const std::vector<SqlName>& columns) const = 0;
};

}  // namespace spindle::tracing
