#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "columnar/family.h"

namespace spindle::columnar {

/// A partition, once and for ever: a name that is dropped and used again gets another number.
using PartitionNumber = std::int32_t;

/// A stored row. Later rows have greater numbers; a row that is put again gets a new one.
using RowNumber = std::int64_t;

/// A set of recent rows that reach the file together. 0 means the file itself.
using GenerationNumber = std::int64_t;

/// Rows per row group of the file. An insert of at least so many goes straight into compressed
/// blocks, past DuckDB's log; and a lookup that min and max can narrow down reads one group.
inline constexpr std::int64_t kRowGroupRows = 16'384;

/// The rows of one family in one partition.
struct TableKey {
  FamilyId family = 0;
  PartitionNumber partition = 0;
  auto operator<=>(const TableKey&) const = default;
};

}  // namespace spindle::columnar
