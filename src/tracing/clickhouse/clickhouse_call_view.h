#pragma once

#include <memory>

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "tracing/clickhouse/clickhouse_call_store.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {

/// Returns a view of the calls of a project. Each statement of it sees the newest calls. The client
/// and the joins must outlive it.
std::unique_ptr<CallView> viewOfCalls(clickhouse::Client& client,
                                      ProjectScope project,
                                      const ClickHouseCallJoins& joins);

}  // namespace spindle::tracing
