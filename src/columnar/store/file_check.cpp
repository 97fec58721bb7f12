#include "columnar/store/file_check.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/engine.h"
#include "columnar/journal/journal.h"
#include "columnar/journal/journal_record.h"
#include "columnar/store/file_name.h"
#include "columnar/store/recovery.h"

namespace spindle::columnar {
namespace {

namespace fs = std::filesystem;

/// Accepts every record; readRecord() does the checking.
class AnyRecord final : public RecordVisitor {
 public:
  void defineFamily(FamilyId, std::string_view) override {}
  void definePartition(PartitionNumber, std::string_view) override {}
  void retirePartition(PartitionNumber) override {}
  void put(FamilyId, PartitionNumber, RowNumber, std::string_view, RecordRange) override {}
  void remove(FamilyId, PartitionNumber, RowNumber, GenerationNumber, std::string_view) override {}
};

bool hasNoRecords(const std::string& path) {
  try {
    return Journal::hasNoRecords(*openFile(path));
  } catch (const std::exception&) {
    return false;  // reported when the journal is read
  }
}

/// Returns the numbers of the journals in the folder that contain records, in order.
std::vector<GenerationNumber> journalsIn(const std::string& folder) {
  std::vector<GenerationNumber> numbers;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const auto number = journalGeneration(entry->path().filename().string());
    if (number && !hasNoRecords(entry->path().string())) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void checkJournal(const std::string& folder,
                  GenerationNumber number,
                  bool is_last,
                  FilesReport& report) {
  const std::string name = "journal-" + std::to_string(number) + ".log";
  const std::string path = folder + "/" + name;
  try {
    std::unique_ptr<File> file = openFile(path);
    bool readable = true;
    Journal::End end;
    const Journal journal(
        std::move(file), name, static_cast<std::uint64_t>(number),
        [&readable](std::string_view record, std::uint64_t) {
          AnyRecord visitor;
          readable = readable && readRecord(record, visitor);
        },
        end);
    ++report.journals;
    report.records += static_cast<std::int64_t>(end.records);
    if (end.lost_bytes > 0) {
      report.problems.push_back(name + " has " + std::to_string(end.lost_bytes) +
                                " bytes of damaged records");
    }
    if (!readable) report.problems.push_back(name + " has a record that cannot be read");
    if (!end.torn) return;
    const std::string place = name + " ends within a record, at byte " + std::to_string(end.bytes);
    if (is_last) {
      report.notes.push_back(place + ": the write was never acknowledged");
    } else {
      report.problems.push_back(place);
    }
  } catch (const std::exception& problem) {
    report.problems.emplace_back(problem.what());
  }
}

/// Returns the first column of every row.
Result<std::vector<std::string>> textsOf(Connection& connection, SqlView sql) {
  std::vector<std::string> texts;
  TRY(forEachRow(connection, sql, [&texts](const QueryResult& result, std::size_t row) {
    texts.emplace_back(result.text(0, row));
  }));
  return texts;
}

/// Reads every column of every row. @return the number of rows.
Result<std::int64_t> scan(Connection& connection, const std::string& table) {
  const std::optional<SqlText> name = SqlText::identifier(table);
  if (!name) return Error::internal("The file contains an unknown table.");
  // The hash of a whole row makes DuckDB read, and check, every block of the table.
  QueryResult result = TRY(connection.query(
      "SELECT count(*), CAST(coalesce(sum(hash(t) % 2), 0) AS BIGINT) FROM stored.main." + *name +
      " AS t"));
  const bool more = TRY(result.nextChunk());
  return more ? result.integer(0, 0) : 0;
}

void checkTables(const std::string& folder, std::size_t memory_bytes, FilesReport& report) {
  const std::string name(kStoreFileName);
  try {
    EngineOptions options;
    options.file = folder + "/" + name;
    options.spill_folder = folder + "/spill";
    options.memory_bytes = memory_bytes;
    options.read_only = true;
    Engine engine(options);
    const std::unique_ptr<Connection> connection = engine.connect();
    const Result<std::vector<std::string>> tables = textsOf(
        *connection, "SELECT table_name FROM duckdb_tables() WHERE database_name = 'stored'");
    if (!tables) {
      report.problems.push_back(name + ": " + tables.error().message());
      return;
    }
    for (const std::string& table : *tables) {
      const Result<std::int64_t> rows = scan(*connection, table);
      if (!rows) {
        report.problems.push_back(name + ", table " + table + ": " + rows.error().message());
        continue;
      }
      ++report.tables;
      report.rows += *rows;
    }
  } catch (const std::exception& problem) {
    report.problems.push_back(name + ": " + problem.what());
  }
}

}  // namespace

FilesReport checkFiles(const std::string& folder, std::size_t memory_bytes) {
  FilesReport report;
  std::error_code problem;
  if (!fs::exists(folder, problem) || fs::is_empty(folder, problem)) return report;
  const std::vector<GenerationNumber> numbers = journalsIn(folder);
  if (!fs::exists(folder + "/" + std::string(kStoreFileName), problem)) {
    report.problems.push_back(std::string(kStoreFileName) + " is missing");
  } else {
    checkTables(folder, memory_bytes, report);
  }
  for (const GenerationNumber number : numbers) {
    checkJournal(folder, number, number == numbers.back(), report);
  }
  return report;
}

}  // namespace spindle::columnar
