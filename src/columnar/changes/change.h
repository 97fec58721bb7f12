#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Identifies one row.
struct RowKey {
  FamilyId family = 0;
  std::string partition;
  std::string key;
};

/// Read and write access of one change, on the writer thread. A plan sees the effects of all
/// earlier changes, even those that reach the disk in the same journal record.
class Plan {
 public:
  virtual ~Plan() = default;

  /// Returns the row of a key, or null. Finds only rows that Change::wants() names. The pointer is
  /// valid until the next call of a non-const member.
  virtual const Row* find(FamilyId family, std::string_view partition, std::string_view key) = 0;

  /// Adds the row, or replaces the row with the same key.
  virtual void put(FamilyId family, std::string_view partition, Row row) = 0;

  /// Removes the row if it exists.
  virtual void erase(FamilyId family, std::string_view partition, std::string_view key) = 0;
};

/// One atomic change: the store applies all of its plan or nothing. Must live until Store::write()
/// returns. Its functions run once each on the writer thread and must be quick.
class Change {
 public:
  virtual ~Change() = default;

  /// Returns the rows that plan() reads, so that the writer fetches the rows of many changes
  /// together. Rows that are only put or erased need not be listed.
  virtual std::vector<RowKey> wants() const { return {}; }

  /// Plans the change. @return an error to reject the whole change; write() returns that error.
  virtual Result<void> plan(Plan& plan) = 0;
};

}  // namespace spindle::columnar
