#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "columnar/family.h"
#include "tracing/call.h"
#include "tracing/call_column.h"

namespace spindle::columnar {
class Cursor;
}

namespace spindle::tracing {

/// How calls lie in the columnar store.
columnar::Family callFamily();

/// The name of a column in SQL.
SqlName nameOf(CallColumn column);

columnar::Row rowOf(Call call);
Call callOf(const columnar::Row& row);

/// Reads a call from a cursor whose columns are `columns`, in that order. What is not among them
/// stays as in a new Call.
Call readCall(const columnar::Cursor& cursor, const std::vector<CallColumn>& columns);

}  // namespace spindle::tracing
