#include "app/traces/clickhouse_options.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

TEST(ClickHouseOptionsTest, FollowTheSettings) {
  config::TraceSettings traces;
  traces.clickhouse_url = "https://clickhouse.example.com:8443";
  traces.clickhouse_user = "spindle";
  traces.clickhouse_password = Secret("open sesame");
  traces.clickhouse_database = "traces";
  traces.clickhouse_ca_file = "/etc/ca.pem";
  traces.clickhouse_compression = config::Compression::kZstd;
  traces.clickhouse_query_memory = 8UL << 30;
  traces.query_timeout = std::chrono::seconds(5);
  const clickhouse::ClientOptions options = clickHouseOptions(traces);
  EXPECT_EQ(options.url, "https://clickhouse.example.com:8443");
  EXPECT_EQ(options.user, "spindle");
  EXPECT_EQ(options.password.reveal(), "open sesame");
  EXPECT_EQ(options.database, "traces");
  EXPECT_EQ(options.ca_file, "/etc/ca.pem");
  EXPECT_EQ(options.compression, http::Coding::kZstd);
  EXPECT_EQ(options.query_memory_bytes, 8UL << 30);
  EXPECT_EQ(options.sort_memory_bytes, 2UL << 30);
  EXPECT_EQ(options.query_time, std::chrono::seconds(5));
  EXPECT_FALSE(options.insert_quorum);
}

TEST(ClickHouseOptionsTest, ReplicatedTablesNeedAQuorum) {
  config::TraceSettings traces;
  traces.clickhouse_replicated = true;
  traces.clickhouse_cluster = "main";
  EXPECT_TRUE(clickHouseOptions(traces).insert_quorum);
  EXPECT_TRUE(clickHouseTables(traces).replicated);
  EXPECT_EQ(clickHouseTables(traces).cluster, "main");
}

}  // namespace
}  // namespace spindle::app
