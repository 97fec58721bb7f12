#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "columnar/journal/family.h"
#include "tracing/calls/call.h"
#include "tracing/calls/call_column.h"

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

/// Reads a call from a cursor with the given columns, in that order. Other members keep their
/// default values.
Call readCall(const columnar::Cursor& cursor, const std::vector<CallColumn>& columns);

}  // namespace spindle::tracing
