#pragma once

#include <memory>
#include <string>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "tracing/store/call_store.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// Groups the turns of a project into threads, inside the store. `from` names the rows.
Result<std::unique_ptr<ThreadReader>> readThreads(columnar::Snapshot& snapshot,
                                                  SqlView from,
                                                  const ThreadQuery& query);

}  // namespace spindle::tracing
