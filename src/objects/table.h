#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace spindle::objects {

/// A row on its way in: JSON text with internal refs, and what names it.
struct NewRow {
  std::string digest;
  std::string value;
  std::int64_t size_bytes = 0;
};

/// A place in a table.
struct RowPlace {
  std::int64_t index = 0;
  std::string digest;
  std::int64_t row_id = 0;  ///< in the database; 0 when it is not known
};

/// Places of a table, and where to go on.
struct RowPlaces {
  std::vector<RowPlace> places;
  std::int64_t next = 0;  ///< the first place that was not looked at
  bool at_end = false;    ///< there is none
};

using DigestSet = std::unordered_set<std::string_view>;

/// A row where it stands in a table. The value is JSON text with internal refs.
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

/// One field that rows are sorted by: a path into the row, in parts.
struct RowOrder {
  std::vector<std::string> path;
  bool descending = false;
};

struct TableQuery {
  std::optional<std::vector<std::string>> row_digests;
  std::vector<RowOrder> order;  ///< then, and without any, by place
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;
};

}  // namespace spindle::objects
