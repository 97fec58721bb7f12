#include "app/doctor/clickhouse_probe.h"

#include <stdexcept>

#include "app/traces/clickhouse_options.h"
#include "clickhouse/schema/server_check.h"

namespace spindle::app {

Result<std::string> probeClickHouse(const config::TraceSettings& traces) {
  try {
    clickhouse::Client client(clickHouseOptions(traces));
    const clickhouse::ServerVersion version =
        TRY(clickhouse::checkServer(client, clickHouseTables(traces)));
    return std::to_string(version.major) + "." + std::to_string(version.minor);
  } catch (const std::runtime_error& error) {
    return Error::unavailable(error.what());
  }
}

}  // namespace spindle::app
