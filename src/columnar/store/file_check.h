#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spindle::columnar {

/// The result of checkFiles().
struct FilesReport {
  std::vector<std::string> problems;  ///< each starts with a file name; empty if intact
  std::vector<std::string> notes;     ///< facts that are not problems, such as a torn last record
  std::int64_t tables = 0;
  std::int64_t rows = 0;      ///< in the tables of the DuckDB file
  std::int64_t journals = 0;  ///< with at least one record
  std::int64_t records = 0;   ///< in the journals
};

/// Checks the files of a store that no process has open, without changing them. Opens the DuckDB
/// file read-only, scans every column of every table, and parses every journal. Uses about
/// `memory_bytes`. An empty or missing folder has no problems.
FilesReport checkFiles(const std::string& folder, std::size_t memory_bytes = 400UL << 20);

}  // namespace spindle::columnar
