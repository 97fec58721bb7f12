#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "query/position.h"

namespace spindle::tracing {

/// Returns an opaque cursor of a list of calls. `list` identifies the list: everything that decides
/// its calls and their order.
std::string callCursor(std::string_view list, const query::Position& position);

/// Returns the position of a cursor. @return kInvalidSchema for a text that callCursor() did not
/// return for the same list.
Result<query::Position> positionOfCursor(std::string_view list, const std::string& cursor);

}  // namespace spindle::tracing
