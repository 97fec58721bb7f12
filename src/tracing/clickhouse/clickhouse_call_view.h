#pragma once

#include <memory>

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "tracing/store/call_store.h"
#include "tracing/store/ref_values.h"

namespace spindle::tracing {

/// Returns a view of the calls of a project. Each statement of it sees the newest calls. The client
/// and the values must outlive it.
std::unique_ptr<CallView> viewOfCalls(clickhouse::Client& client,
                                      ProjectScope project,
                                      RefValues& ref_values);

}  // namespace spindle::tracing
