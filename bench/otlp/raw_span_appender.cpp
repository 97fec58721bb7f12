// Appends the rows of the benchmark's spans with DuckDB's appender only: one transaction with an
// fsync for every COMMIT_ROWS rows.
//
//   raw_span_appender FILE SPANS COMMIT_ROWS
//
// Prints the rows per second, without the time to generate the rows.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <duckdb.h>

#include "agents/ingest/span_to_row.h"
#include "agents/sql/span_row.h"
#include "otlp/decode.h"
#include "otlp/span_source.h"

namespace {

using spindle::columnar::ColumnType;
using spindle::columnar::Row;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "raw_span_appender: %s failed\n", what);
  std::exit(1);
}

void run(duckdb_connection connection, const std::string& sql) {
  require(duckdb_query(connection, sql.c_str(), nullptr) == DuckDBSuccess, sql.c_str());
}

const char* sqlType(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return "VARCHAR";
    case ColumnType::kInteger:
      return "BIGINT";
    case ColumnType::kReal:
      return "DOUBLE";
    case ColumnType::kBoolean:
      return "BOOLEAN";
    case ColumnType::kTime:
      return "TIMESTAMP";
    case ColumnType::kTexts:
      return "VARCHAR[]";
  }
  return "";
}

struct Append {
  duckdb_appender appender;

  void operator()(std::monostate) const { duckdb_append_null(appender); }
  void operator()(std::int64_t value) const { duckdb_append_int64(appender, value); }
  void operator()(double value) const { duckdb_append_double(appender, value); }
  void operator()(bool value) const { duckdb_append_bool(appender, value); }
  void operator()(spindle::Timestamp value) const {
    duckdb_append_timestamp(appender, {spindle::microsOf(value)});
  }
  void operator()(const std::string& value) const {
    duckdb_append_varchar_length(appender, value.data(), value.size());
  }
  void operator()(const std::vector<std::string>& values) const {
    std::vector<duckdb_value> items;
    for (const std::string& value : values)
      items.push_back(duckdb_create_varchar_length(value.data(), value.size()));
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_value list = duckdb_create_list_value(type, items.data(), items.size());
    duckdb_append_value(appender, list);
    duckdb_destroy_value(&list);
    duckdb_destroy_logical_type(&type);
    for (duckdb_value& item : items) duckdb_destroy_value(&item);
  }
};

std::vector<Row> rowsOf(std::uint64_t from, std::uint64_t to) {
  const auto request = spindle::otlp::decodeProtobuf(spindle::bench::protobufRequest(from, to));
  require(request.has_value(), "decoding");
  const auto& resource = request->resource_spans.at(0);
  const auto resource_tree = spindle::otlp::treeOf(resource, *request->texts);
  require(resource_tree.has_value(), "the resource");
  const std::string resource_dump = spindle::otlp::dumpResource(*resource_tree);
  std::vector<Row> rows;
  for (const auto& span : resource.scope_spans.at(0).spans) {
    const auto tree = spindle::otlp::treeOf(span, *request->texts);
    require(tree.has_value(), "a tree");
    auto row = spindle::agents::rowOf(*tree);
    require(row.has_value(), "a row");
    row->raw_span_dump = spindle::otlp::dumpSpan(*tree, resource_dump);
    rows.push_back(spindle::agents::rowOf(*std::move(row)));
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: raw_span_appender FILE SPANS COMMIT_ROWS\n");
    return 2;
  }
  const std::uint64_t spans = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t commit_rows = std::strtoull(argv[3], nullptr, 10);
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  require(duckdb_open(argv[1], &database) == DuckDBSuccess, "open");
  require(duckdb_connect(database, &connection) == DuckDBSuccess, "connect");
  std::string table;
  for (const spindle::columnar::Column& column : spindle::agents::spanFamily().columns) {
    table += (table.empty() ? "CREATE TABLE spans (\"" : ", \"") + std::string(column.name) +
             "\" " + sqlType(column.type);
  }
  run(connection, table + ")");

  using Clock = std::chrono::steady_clock;
  Clock::duration spent{};
  for (std::uint64_t first = 0; first < spans; first += commit_rows) {
    const std::vector<Row> rows = rowsOf(first, std::min(spans, first + commit_rows));
    const Clock::time_point began = Clock::now();
    run(connection, "BEGIN");
    duckdb_appender appender = nullptr;
    require(duckdb_appender_create(connection, nullptr, "spans", &appender) == DuckDBSuccess,
            "appender");
    for (const Row& row : rows) {
      for (const spindle::columnar::Value& value : row) std::visit(Append{appender}, value);
      require(duckdb_appender_end_row(appender) == DuckDBSuccess, "append");
    }
    require(duckdb_appender_destroy(&appender) == DuckDBSuccess, "flush");
    run(connection, "COMMIT");
    spent += Clock::now() - began;
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  std::printf("%.0f\n", static_cast<double>(spans) / std::chrono::duration<double>(spent).count());
  return 0;
}
