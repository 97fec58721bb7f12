#include "storage/database/session.h"

#include <utility>

#include "storage/database/connection.h"

namespace spindle::storage {

Result<Rows> Session::query(SqlView sql, const Params& params) {
  if (failure_) return *failure_;
  Result<StatementResult> outcome = connection_.run(sql, params);
  if (outcome) return std::move(outcome->rows);
  failure_ = outcome.error();
  return *failure_;
}

Result<std::optional<Row>> Session::queryOne(SqlView sql, const Params& params) {
  Rows rows = TRY(query(sql, params));
  if (rows.empty()) return std::optional<Row>();
  return std::optional<Row>(std::move(rows.front()));
}

Result<std::int64_t> Session::execute(SqlView sql, const Params& params) {
  if (failure_) return *failure_;
  const Result<StatementResult> outcome = connection_.run(sql, params);
  if (outcome) return outcome->changed;
  failure_ = outcome.error();
  return *failure_;
}

}  // namespace spindle::storage
