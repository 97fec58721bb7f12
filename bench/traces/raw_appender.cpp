// Appends the calls of the benchmark with DuckDB's appender only: one transaction with an fsync for
// every COMMIT_ROWS rows. The baseline of `bench/ingest`.
//
//   raw_appender FILE CALLS COMMIT_ROWS
//
// Prints the rows per second, without the time to generate the rows.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <duckdb.h>

#include "traces/call_source.h"

namespace {

using spindle::bench::BenchCall;

constexpr const char* kTable =
    "CREATE TABLE calls (id VARCHAR, presence BIGINT, trace_id VARCHAR, parent_id VARCHAR, "
    "thread_id VARCHAR, turn_id VARCHAR, op_name VARCHAR, display_name VARCHAR, started_at "
    "TIMESTAMP, ended_at TIMESTAMP, exception VARCHAR, attributes VARCHAR, inputs VARCHAR, output "
    "VARCHAR, summary VARCHAR, otel_dump VARCHAR, user_id VARCHAR, run_id VARCHAR, run_step "
    "BIGINT, run_step_end BIGINT, expire_at TIMESTAMP, input_refs VARCHAR[], output_refs "
    "VARCHAR[], start_bytes BIGINT, output_bytes BIGINT, summary_bytes BIGINT, descendant_errors "
    "BIGINT)";

void require(duckdb_state state, const char* what) {
  if (state == DuckDBSuccess) return;
  std::fprintf(stderr, "raw_appender: %s failed\n", what);
  std::exit(1);
}

void run(duckdb_connection connection, const char* sql) {
  require(duckdb_query(connection, sql, nullptr), sql);
}

void text(duckdb_appender appender, const std::string& value) {
  duckdb_append_varchar_length(appender, value.data(), value.size());
}

void textOrNull(duckdb_appender appender, const std::string& value) {
  if (value.empty()) {
    duckdb_append_null(appender);
  } else {
    text(appender, value);
  }
}

void nulls(duckdb_appender appender, int count) {
  for (int i = 0; i < count; ++i) duckdb_append_null(appender);
}

void append(duckdb_appender appender, const BenchCall& call) {
  text(appender, call.id);
  duckdb_append_int64(appender, 1);
  text(appender, call.trace_id);
  textOrNull(appender, call.parent_id);
  nulls(appender, 2);
  text(appender, call.op_name);
  nulls(appender, 1);
  duckdb_append_timestamp(appender, {call.started_at_us});
  duckdb_append_timestamp(appender, {call.ended_at_us});
  textOrNull(appender, call.exception);
  text(appender, call.attributes);
  text(appender, call.inputs);
  text(appender, call.output);
  text(appender, call.summary);
  nulls(appender, 1);
  text(appender, "usr_01J00000000000000000000000");
  nulls(appender, 6);
  for (int i = 0; i < 4; ++i) duckdb_append_int64(appender, 512);
  require(duckdb_appender_end_row(appender), "append");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: raw_appender FILE CALLS COMMIT_ROWS\n");
    return 2;
  }
  const std::uint64_t calls = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t commit_rows = std::strtoull(argv[3], nullptr, 10);
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  require(duckdb_open(argv[1], &database), "open");
  require(duckdb_connect(database, &connection), "connect");
  run(connection, kTable);

  using Clock = std::chrono::steady_clock;
  Clock::duration spent{};
  std::vector<BenchCall> batch;
  for (std::uint64_t first = 0; first < calls; first += commit_rows) {
    batch.clear();
    for (std::uint64_t i = first; i < first + commit_rows && i < calls; ++i)
      batch.push_back(spindle::bench::makeCall(i, 1'760'000'000'000'000));
    const Clock::time_point began = Clock::now();
    run(connection, "BEGIN");
    duckdb_appender appender = nullptr;
    require(duckdb_appender_create(connection, nullptr, "calls", &appender), "appender");
    for (const BenchCall& call : batch) append(appender, call);
    require(duckdb_appender_destroy(&appender), "flush");
    run(connection, "COMMIT");
    spent += Clock::now() - began;
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  std::printf("%.0f\n", static_cast<double>(calls) / std::chrono::duration<double>(spent).count());
  return 0;
}
