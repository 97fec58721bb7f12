#pragma once

#include <vector>

#include "columnar/store/snapshot.h"
#include "tracing/calls/call_search.h"
#include "tracing/store/call_readers.h"

namespace spindle::tracing {

/// Returns the newest visible calls that contain the text of the search. `statement` has the rows
/// of the project. Searches from the newest calls to older ones until it has found enough.
Result<std::vector<FoundCall>> searchCalls(columnar::Snapshot& snapshot,
                                           columnar::FamilyId family,
                                           CallStatement statement,
                                           const CallSearch& search);

}  // namespace spindle::tracing
