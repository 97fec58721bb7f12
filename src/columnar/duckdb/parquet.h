#pragma once

#include <string>
#include <vector>

#include "base/core/result.h"

namespace spindle::columnar {

/// Parquet type of a member of a JSON object. Null and absent members are both null in Parquet.
enum class ParquetKind {
  kText,
  kTime,     ///< microseconds, UTC
  kInteger,  ///< 64 bits
  kJson,     ///< any value, as its unchanged JSON text
};

struct ParquetColumn {
  std::string name;
  ParquetKind kind = ParquetKind::kText;
  std::string other_name = {};  ///< alternative name in the JSON; empty if none
};

/// Converts a file of JSON objects, one per line, to a Parquet file with these columns. Memory use
/// does not grow with the file; excess data spills to disk beside the Parquet file. Blocks.
/// Replaces `parquet_file`, which is unusable after a failure. @return kInvalidArgument that names
/// the invalid line; kUnavailable when a file cannot be read or written.
Result<void> writeParquet(const std::string& json_lines_file,
                          const std::string& parquet_file,
                          const std::vector<ParquetColumn>& columns);

/// Converts a Parquet file to JSON lines. Missing columns are null; additional columns are ignored.
/// Any program may have written the file if its values can be converted. @return kInvalidArgument
/// when it is not a Parquet file or a value cannot be converted; kUnavailable when a file cannot be
/// read or written.
Result<void> readParquet(const std::string& parquet_file,
                         const std::string& json_lines_file,
                         const std::vector<ParquetColumn>& columns);

}  // namespace spindle::columnar
