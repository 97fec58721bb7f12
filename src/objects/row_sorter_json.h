#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "objects/table.h"

namespace spindle::objects {

/// The parts of a dotted path; `\.` stands for a dot in a name.
/// @return kInvalidArgument for an empty part.
Result<std::vector<std::string>> sortPath(std::string_view field);

/// Puts rows in order by values inside them: rows that have the value before those that have not,
/// then numbers by size before other texts, then texts by their bytes; then by place. Descending
/// turns numbers and texts around, nothing else.
///
/// Keeps a few hundred bytes of a row at most, and no more rows than are wanted.
class RowSorter {
 public:
  /// `wanted`: how many rows of the order matter; empty for all.
  RowSorter(std::vector<RowOrder> order, std::optional<std::size_t> wanted);

  void add(const TableRow& row);
  /// The wanted rows in order. Once.
  std::vector<RowPlace> finish();

 private:
  struct Key {
    bool present = false;
    std::optional<double> number;
    std::string text;
  };
  struct Entry {
    std::vector<Key> keys;
    RowPlace place;
  };

  bool before(const Entry& a, const Entry& b) const;
  void keepWanted();

  std::vector<RowOrder> order_;
  std::optional<std::size_t> wanted_;
  std::vector<Entry> entries_;
};

}  // namespace spindle::objects
