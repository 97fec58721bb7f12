#pragma once

#include <cstddef>

#include "columnar/duckdb/query_result.h"
#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Reads one result row as a record. Its columns start at index `first`.
Row readRow(const QueryResult& answer, std::size_t row, std::size_t first, const Family& family);

}  // namespace spindle::columnar
