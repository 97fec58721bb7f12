#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "columnar/journal/family.h"
#include "query/dialect.h"
#include "tracing/calls/call.h"
#include "tracing/calls/call_column.h"

namespace spindle::clickhouse {
class Cursor;
}
namespace spindle::columnar {
class Cursor;
}

namespace spindle::tracing {

/// Returns the columnar family of calls.
columnar::Family callFamily();

/// Returns the SQL name of a column.
SqlName nameOf(CallColumn column);

columnar::Row rowOf(Call call);
Call callOf(const columnar::Row& row);

/// Returns the select list of a projection over rows `c`. Payloads are cut inside the engine.
SqlText selectList(const CallProjection& projection,
                   const query::Dialect& dialect = query::duckDbDialect());
/// Returns the number of columns of selectList().
std::size_t selectedColumns(const CallProjection& projection);
/// Reads a call from a cursor whose columns begin with selectList().
Call readCall(const columnar::Cursor& cursor, const CallProjection& projection);
Call readCall(const clickhouse::Cursor& cursor, const CallProjection& projection);

}  // namespace spindle::tracing
