#include "app/traces/clickhouse_options.h"

namespace spindle::app {
namespace {

http::Coding codingOf(config::Compression compression) {
  switch (compression) {
    case config::Compression::kNone:
      return http::Coding::kIdentity;
    case config::Compression::kGzip:
      return http::Coding::kGzip;
    case config::Compression::kZstd:
      return http::Coding::kZstd;
  }
  return http::Coding::kIdentity;
}

}  // namespace

clickhouse::ClientOptions clickHouseOptions(const config::TraceSettings& traces) {
  clickhouse::ClientOptions options;
  options.url = traces.clickhouse_url;
  options.user = traces.clickhouse_user;
  options.password = traces.clickhouse_password;
  options.database = traces.clickhouse_database;
  options.ca_file = traces.clickhouse_ca_file.string();
  options.compression = codingOf(traces.clickhouse_compression);
  options.connect_timeout = traces.clickhouse_connect_timeout;
  options.query_time = traces.query_timeout;
  options.insert_time = traces.clickhouse_insert_timeout;
  options.query_memory_bytes = traces.clickhouse_query_memory;
  options.sort_memory_bytes = traces.clickhouse_query_memory / 4;
  options.connections = static_cast<std::size_t>(traces.clickhouse_connections);
  options.insert_quorum = traces.clickhouse_replicated;
  return options;
}

clickhouse::TableOptions clickHouseTables(const config::TraceSettings& traces) {
  return {.replicated = traces.clickhouse_replicated, .cluster = traces.clickhouse_cluster};
}

}  // namespace spindle::app
