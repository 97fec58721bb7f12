#pragma once

#include <utility>

#include "agents/store/columnar_span_store.h"
#include "base/core/result.h"
#include "query/sql.h"

namespace spindle::agents {

/// Executes the statement and calls `each(const columnar::Cursor&)` for each row of its result.
template <class Each>
Result<void> forRows(SpanRows& rows, const query::Sql& sql, Each each) {
  columnar::Cursor cursor = TRY(rows.snapshot.query(sql.text, sql.params));
  while (TRY(cursor.next())) {
    each(cursor);
  }
  return {};
}

}  // namespace spindle::agents
