#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace spindle::columnar {

/// What a member of a JSON object becomes in a Parquet file. Null and absent are both null there.
enum class ParquetKind {
  kText,
  kTime,     ///< to the microsecond, in UTC
  kInteger,  ///< 64 bits
  kJson,     ///< any value, as its JSON text, byte for byte
};

struct ParquetColumn {
  std::string name;
  ParquetKind kind = ParquetKind::kText;
  std::string other_name = {};  ///< also looked for in the JSON; empty for none
};

/// Turns a file of JSON objects, one per line, into a Parquet file with these columns. Memory does
/// not grow with the file: what is too much goes to disk, beside the Parquet file. Blocks. What
/// stands at `parquet_file` is replaced, and is of no use after a failure.
/// @return kInvalidArgument naming the line that does not fit, kUnavailable when a file cannot be
/// read or written.
Result<void> writeParquet(const std::string& json_lines_file,
                          const std::string& parquet_file,
                          const std::vector<ParquetColumn>& columns);

/// The way back. Columns that the file does not have are null; it may have others, and it may have
/// been written by another program, as long as the values can be converted.
/// @return kInvalidArgument when it is no Parquet file or does not fit, kUnavailable when a file
/// cannot be read or written.
Result<void> readParquet(const std::string& parquet_file,
                         const std::string& json_lines_file,
                         const std::vector<ParquetColumn>& columns);

}  // namespace spindle::columnar
