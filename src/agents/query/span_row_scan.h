#pragma once

#include <utility>

#include "agents/store/columnar_span_store.h"
#include "base/core/result.h"
#include "query/sql.h"

namespace spindle::agents {

/// Executes the statement and calls `each(const columnar::Cursor&)` for each row of its result.
template <class Each>
Result<void> forRows(SpanRows& rows, const query::Sql& sql, Each each) {
  Result<columnar::Cursor> cursor = rows.snapshot.query(sql.text, sql.params);
  if (!cursor) return std::move(cursor).error();
  while (true) {
    const Result<bool> more = cursor->next();
    if (!more) return more.error();
    if (!*more) return {};
    each(*cursor);
  }
}

}  // namespace spindle::agents
