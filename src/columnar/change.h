#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "columnar/family.h"

namespace spindle::columnar {

/// Names one row.
struct RowKey {
  FamilyId family = 0;
  std::string partition;
  std::string key;
};

/// What a change sees and what it does, on the writer thread. Earlier changes are already applied
/// as far as a plan can tell, though they may reach the disk together with this one.
class Plan {
 public:
  virtual ~Plan() = default;

  /// The row of that key, or null. Only rows named by Change::wants(). Valid until the next call of
  /// a non-const member.
  virtual const Row* find(FamilyId family, std::string_view partition, std::string_view key) = 0;

  /// Adds the row, in place of one with the same key if there is one.
  virtual void put(FamilyId family, std::string_view partition, Row row) = 0;

  /// Removes the row, if it is there.
  virtual void erase(FamilyId family, std::string_view partition, std::string_view key) = 0;
};

/// One atomic change: all of its plan is stored, or nothing. Lives until Store::write() returns;
/// its functions run on the writer thread, once each, and must be quick.
class Change {
 public:
  virtual ~Change() = default;

  /// The rows that plan() will look at, so that those of many changes are fetched together. Rows
  /// that are only put or erased need not be named.
  virtual std::vector<RowKey> wants() const { return {}; }

  /// @return an error to give the whole change up; write() returns it.
  virtual Result<void> plan(Plan& plan) = 0;
};

}  // namespace spindle::columnar
