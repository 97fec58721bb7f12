#include "storage/database/session.h"

#include <utility>

#include "base/core/check.h"
#include "storage/database/connection.h"

namespace spindle::storage {

Result<Rows> Session::query(SqlView sql, const Params& params) {
  if (failure_) return *failure_;
  Result<StatementResult> outcome = connection_.run(sql, params);
  if (outcome) {
    changed_rows_ += outcome->changed;
    return std::move(outcome->rows);
  }
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
  if (outcome) {
    changed_rows_ += outcome->changed;
    return outcome->changed;
  }
  failure_ = outcome.error();
  return *failure_;
}

Result<void> Session::notify(std::string_view topic, std::string_view text) {
  SPINDLE_ASSERT(topic.size() + text.size() < kMaxMessage, "messages are short");
  if (failure_) return *failure_;
  Result<void> sent = connection_.notify(topic, text);
  if (!sent) failure_ = sent.error();
  return sent;
}

}  // namespace spindle::storage
