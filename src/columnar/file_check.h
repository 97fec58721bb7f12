#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spindle::columnar {

/// The result of checkFiles().
struct FilesReport {
  std::vector<std::string> problems;  ///< each begins with the name of a file; empty: all is well
  std::vector<std::string> notes;     ///< facts that are no problem, such as a torn last record
  std::int64_t tables = 0;
  std::int64_t rows = 0;      ///< in the tables of the DuckDB file
  std::int64_t journals = 0;  ///< that hold records
  std::int64_t records = 0;   ///< in the journals
};

/// Checks the files of a store that no process has open, and changes none of them: opens the DuckDB
/// file for reading, scans every column of every table, and parses every journal. Uses about
/// `memory_bytes`. An empty or missing folder has no problems.
FilesReport checkFiles(const std::string& folder, std::size_t memory_bytes = 400UL << 20);

}  // namespace spindle::columnar
