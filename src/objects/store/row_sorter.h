#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "objects/values/table.h"

namespace spindle::objects {

/// Splits a dotted path; `\.` is a dot in a name. @return kInvalidArgument for an empty part.
Result<std::vector<std::string>> sortPath(std::string_view field);

/// Sorts rows by values inside them: rows with the value before rows without it, numbers before
/// other texts, texts by their bytes, then by position. Descending order reverses numbers and texts
/// only.
///
/// Keeps at most a few hundred bytes per row, and only about as many rows as are requested.
class RowSorter {
 public:
  /// `wanted` is the number of rows to return; empty for all.
  RowSorter(std::vector<RowOrder> order, std::optional<std::size_t> wanted);

  void add(const TableRow& row);
  /// Returns the rows in order. Call once.
  std::vector<RowPosition> finish();

 private:
  struct Key {
    bool present = false;
    std::optional<double> number;
    std::string text;
  };
  struct Entry {
    std::vector<Key> keys;
    RowPosition position;
  };

  bool before(const Entry& a, const Entry& b) const;
  void dropUnwanted();

  std::vector<RowOrder> order_;
  std::optional<std::size_t> wanted_;
  std::vector<Entry> entries_;
};

}  // namespace spindle::objects
