#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace spindle::objects {

/// A row to store: JSON text with internal refs, and its digest.
struct NewRow {
  std::string digest;
  std::string value;
  std::int64_t size_bytes = 0;
};

/// Position of a row in a table.
struct RowPosition {
  std::int64_t index = 0;
  std::string digest;
  std::int64_t row_id = 0;  ///< database id; 0 if unknown
};

/// Some positions of a table, and where to continue.
struct RowPositions {
  std::vector<RowPosition> positions;
  std::int64_t next = 0;  ///< first position that was not read
  bool at_end = false;    ///< no more positions
};

using DigestSet = std::unordered_set<std::string_view>;

/// A row at its position in a table. The value is JSON text with internal refs.
struct TableRow {
  std::int64_t index = 0;
  std::string digest;
  std::int64_t row_id = 0;
  std::string value;
};

struct TableStats {
  std::string digest;
  std::int64_t count = 0;
  std::optional<std::int64_t> size_bytes;
};

/// One sort key of rows: a path into the row, in parts.
struct RowOrder {
  std::vector<std::string> path;
  bool descending = false;
};

struct TableQuery {
  std::optional<std::vector<std::string>> row_digests;
  std::vector<RowOrder> order;  ///< then, or if empty, by position
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;
};

}  // namespace spindle::objects
