#include "columnar/store/store_parts.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/table_sql.h"
#include "columnar/store/file_name.h"
#include "columnar/store/log.h"

namespace spindle::columnar {
namespace {

std::string filePath(const StoreOptions& options) {
  return options.folder + "/" + std::string(kStoreFileName);
}

EngineOptions engineOptions(const StoreOptions& options) {
  EngineOptions engine;
  engine.file = filePath(options);
  engine.spill_folder = options.folder + "/spill";
  engine.memory_bytes = options.memory_bytes;
  engine.spill_bytes = options.spill_bytes;
  engine.threads = options.threads;
  return engine;
}

}  // namespace

StoreParts::StoreParts(const StoreOptions& with,
                       const std::vector<Family>& of,
                       StoreMetrics& store_metrics,
                       std::chrono::seconds pause_before)
    : options(with),
      families(of),
      metrics(store_metrics),
      pause(pause_before),
      engine(engineOptions(with)),
      disk(with.folder, filePath(with)),
      stored(of),
      deferred_deleter(std::make_shared<DeferredDeleter>()),
      visibility(std::make_shared<const Version>()) {
  const Result<void> made =
      engine.connect()->execute("CREATE TABLE memory.main.anchor AS SELECT 1 AS one");
  if (!made) throw std::runtime_error("cannot use DuckDB: " + made.error().message());
}

std::string StoreParts::journalPath(GenerationNumber number) const {
  return options.folder + "/journal-" + std::to_string(number) + ".log";
}

Result<void> StoreParts::makeTables(Connection& connection, GenerationNumber number) {
  for (const Family& family : families) {
    TRY(connection.execute(createRecentTable(family, number)));
  }
  return connection.execute(createSupersededTable(number));
}

Result<std::shared_ptr<Generation>> StoreParts::makeGeneration(Connection& connection,
                                                               GenerationNumber number) {
  const std::string path = journalPath(number);
  std::unique_ptr<Journal> journal;
  try {
    journal = std::make_unique<Journal>(createFile(path), static_cast<std::uint64_t>(number));
  } catch (const std::system_error& problem) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    kLog.error("journal_failed", {{"message", problem.what()}});
    if (isDiskFull(problem.code().value())) return diskFull();
    return Error::unavailable("The trace store cannot begin a new journal.");
  }
  // From here on the destructor of the generation drops its tables.
  auto generation =
      std::make_shared<Generation>(number, std::move(journal), path, deferred_deleter);
  if (Result<void> made = makeTables(connection, number); !made) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return std::move(made).error();
  }
  return generation;
}

}  // namespace spindle::columnar
