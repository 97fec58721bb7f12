#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Permanent number of a partition. A dropped name that is used again gets a new number.
using PartitionNumber = std::int32_t;

/// Number of a stored row. Later rows have greater numbers; a row that is put again gets a new one.
using RowNumber = std::int64_t;

/// Number of a set of recent rows that are flushed together. 0 means the file itself.
using GenerationNumber = std::int64_t;

/// Rows per row group of the file. An insert of at least this many rows writes compressed blocks
/// directly, without DuckDB's log. A lookup that minimum and maximum can narrow reads one group.
/// DuckDB keeps about 5 KB in memory for every column of every group that was written or read: for
/// a stored call about 2 bytes with groups of this size, and 9 bytes with groups of 16,384 rows.
inline constexpr std::int64_t kRowGroupRows = 65'536;

/// Identifies the rows of one family in one partition.
struct TableKey {
  FamilyId family = 0;
  PartitionNumber partition = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check misreads the generated comparisons with 0
  auto operator<=>(const TableKey&) const = default;
};

}  // namespace spindle::columnar
