#pragma once

#include <vector>

#include "columnar/duckdb/parquet.h"

namespace spindle::transfer {

/// Returns the columns of exported calls in a Parquet file: ids and texts as text, times as
/// timestamps, payloads as JSON text. The column names are neutral, whatever the spelling of the
/// server's responses.
const std::vector<columnar::ParquetColumn>& callColumns();

}  // namespace spindle::transfer
