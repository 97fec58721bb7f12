#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/scan_gate.h"
#include "columnar/journal/family.h"
#include "columnar/tables/stored_tables.h"

namespace spindle::columnar {

/// A blocked Bloom filter of keys that uses about three bytes per key. A negative result is
/// certain; the false-positive rate is below one percent. For one thread.
class KeyFilter {
 public:
  /// Allocates space for `keys` more keys. Without it, the capacity doubles on demand.
  void expect(std::size_t keys);
  void add(std::string_view key);
  bool mayContain(std::string_view key) const;

 private:
  /// The eight bits of one key lie in one cache line.
  using Block = std::array<std::uint64_t, 8>;
  struct Part {
    std::vector<Block> blocks;
    std::size_t room = 0;  ///< number of keys that still fit
  };
  std::vector<Part> parts_;
};

/// Filters of the unordered keys that can be in the file (Family::isOrderedKey). Added rows are
/// recorded here. The keys in the file are read when a family is first queried, which takes a
/// few tenths of a second for millions of rows. Each family has one filter for all partitions, by
/// full key, so memory is proportional to rows. For the writer thread.
class KeyFilters {
 public:
  /// All arguments are borrowed.
  KeyFilters(const std::vector<Family>& families,
             const StoredTables& stored,
             Connection& connection,
             ScanGate& scans)
      : families_(families), stored_(stored), connection_(connection), scans_(scans) {}

  /// Records a key that is stored from now on, first in memory. Ignores ordered keys.
  void add(FamilyId family, std::string_view full_key);
  /// Returns false if the file certainly does not contain the row. @return kUnavailable.
  Result<bool> mayContain(TableKey table, std::string_view full_key);

 private:
  struct Keys {
    bool complete = false;  ///< includes the keys in the file
    KeyFilter filter;
  };

  Result<void> readFile(FamilyId family, KeyFilter& filter);
  Result<void> readTable(FamilyId family,
                         SqlView table,
                         std::optional<PartitionNumber> own,
                         KeyFilter& filter);

  const std::vector<Family>& families_;
  const StoredTables& stored_;
  Connection& connection_;
  ScanGate& scans_;
  std::map<FamilyId, Keys> keys_;
};

}  // namespace spindle::columnar
