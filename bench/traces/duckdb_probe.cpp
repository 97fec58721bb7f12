// Runs SQL from standard input on a DuckDB file, one statement per line, for the hand-written
// queries of `bench/query`. Prints for each the milliseconds to run it and read all rows, and the
// number if it is a count.
//
//   duckdb_probe FILE THREADS MEMORY

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <duckdb.h>

namespace {

constexpr std::size_t kLongestLine = 1UL << 20;

struct Run {
  double ms = -1;           ///< negative: it failed
  std::int64_t number = 0;  ///< the last whole number of the first column
};

Run run(duckdb_connection connection, const char* sql) {
  const auto began = std::chrono::steady_clock::now();
  duckdb_result result;
  if (duckdb_query(connection, sql, &result) != DuckDBSuccess) {
    std::fprintf(stderr, "duckdb_probe: %s\n%s\n", duckdb_result_error(&result), sql);
    duckdb_destroy_result(&result);
    return {};
  }
  Run run;
  const bool counts = duckdb_column_type(&result, 0) == DUCKDB_TYPE_BIGINT;
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(result)) {
    if (counts) {
      run.number = *static_cast<std::int64_t*>(
          duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0)));
    }
    duckdb_destroy_data_chunk(&chunk);
  }
  duckdb_destroy_result(&result);
  run.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: duckdb_probe FILE THREADS MEMORY\n");
    return 2;
  }
  duckdb_config config = nullptr;
  duckdb_create_config(&config);
  duckdb_set_config(config, "access_mode", "READ_ONLY");
  duckdb_set_config(config, "threads", argv[2]);
  duckdb_set_config(config, "memory_limit", argv[3]);
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  char* problem = nullptr;
  if (duckdb_open_ext(argv[1], &database, config, &problem) != DuckDBSuccess) {
    std::fprintf(stderr, "duckdb_probe: %s\n", problem);
    return 1;
  }
  duckdb_connect(database, &connection);
  std::string line(kLongestLine, '\0');
  while (std::fgets(line.data(), static_cast<int>(line.size()), stdin) != nullptr) {
    const Run done = run(connection, line.c_str());
    std::printf("%.3f %lld\n", done.ms, static_cast<long long>(done.number));
    std::fflush(stdout);
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return 0;
}
