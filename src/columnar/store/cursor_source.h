#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/query_result.h"
#include "columnar/duckdb/scan_gate.h"
#include "columnar/duckdb/watchdog.h"
#include "columnar/store/snapshot.h"

namespace spindle::columnar {

/// Runs one statement and iterates over its rows. Only the time that DuckDB spends counts against
/// the time limit.
class Cursor::Source {
 public:
  Source(Connection& connection, Watchdog& watchdog, ScanGate& gate, std::chrono::milliseconds time)
      : connection_(connection), watchdog_(watchdog), gate_(gate), time_left_(time) {}
  /// Interrupts the statement if it has not ended.
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  Result<void> run(SqlView sql, const std::vector<Value>& params);
  Result<bool> next();

  const QueryResult& answer() const { return *answer_; }
  std::size_t row() const { return row_; }

 private:
  Result<void> start(SqlView sql, const std::vector<Value>& params);
  /// Runs `work` with a watchdog deadline.
  template <class Work>
  auto timed(Work work) -> decltype(work());

  Connection& connection_;
  Watchdog& watchdog_;
  ScanGate& gate_;
  std::chrono::nanoseconds time_left_;
  std::optional<ScanGate::Pass> pass_;  ///< held until DuckDB has completed the statement
  std::optional<Statement> statement_;
  std::optional<QueryResult> answer_;
  std::size_t row_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace spindle::columnar
