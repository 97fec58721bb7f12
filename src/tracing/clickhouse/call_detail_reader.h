#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "tracing/calls/call_outline.h"
#include "tracing/calls/call_search.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {

// The functions of CallView with these names, for one project.

Result<std::vector<OutlinedCall>> outlineTrace(clickhouse::Client& client,
                                               const std::string& project,
                                               std::string_view trace_id,
                                               std::int64_t limit);

Result<std::vector<FoundCall>> searchText(clickhouse::Client& client,
                                          const std::string& project,
                                          const CallSearch& search);

Result<std::unique_ptr<ThreadReader>> groupThreads(clickhouse::Client& client,
                                                   const std::string& project,
                                                   const ThreadQuery& query);

}  // namespace spindle::tracing
