#pragma once

#include "clickhouse/client/client.h"
#include "clickhouse/schema/table_options.h"
#include "config/settings.h"

namespace spindle::app {

/// Returns the options of a client of the ClickHouse server of the settings.
clickhouse::ClientOptions clickHouseOptions(const config::TraceSettings& traces);

/// Returns how the tables of the settings are stored.
clickhouse::TableOptions clickHouseTables(const config::TraceSettings& traces);

}  // namespace spindle::app
