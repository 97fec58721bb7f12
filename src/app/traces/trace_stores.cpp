#include "app/traces/trace_stores.h"

#include <utility>

#include "app/traces/clickhouse_traces.h"
#include "app/traces/embedded_traces.h"

namespace spindle::app {

std::unique_ptr<TraceStores> openTraceStores(TraceStorePorts ports) {
  if (ports.settings.traces.usesClickHouse())
    return std::make_unique<ClickHouseTraces>(std::move(ports));
  return std::make_unique<EmbeddedTraces>(std::move(ports));
}

}  // namespace spindle::app
