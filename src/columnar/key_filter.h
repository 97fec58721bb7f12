#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "columnar/connection.h"
#include "columnar/family.h"
#include "columnar/stored_tables.h"

namespace spindle::columnar {

/// Remembers keys, about three bytes for each: no is certain, yes is wrong less than once in some
/// hundred times. For one thread.
class KeyFilter {
 public:
  /// Makes room for so many keys more; without it there is room for twice as many each time.
  void expect(std::size_t keys);
  void add(std::string_view key);
  bool mayHold(std::string_view key) const;

 private:
  /// Eight bits of one key, all in one line of the cache.
  using Block = std::array<std::uint64_t, 8>;
  struct Part {
    std::vector<Block> blocks;
    std::size_t room = 0;  ///< for so many keys more
  };
  std::vector<Part> parts_;
};

/// Which keys can be in the file, for families whose keys come in no order: what is written is
/// noted here, and what the file holds is read when a family is first asked about, which takes some
/// tenths of a second for millions of rows. One filter for all partitions of a family, by full key:
/// memory follows the number of rows. Lives on the writer's thread.
class KeyFilters {
 public:
  /// All borrowed.
  KeyFilters(const std::vector<Family>& families,
             const StoredTables& stored,
             Connection& connection)
      : families_(families), stored_(stored), connection_(connection) {}

  /// A row of that key is stored from now on, in memory first.
  void add(FamilyId family, std::string_view full_key);
  /// Whether the file can hold the row; no is certain. @return kUnavailable.
  Result<bool> mayHold(TableKey table, std::string_view full_key);

 private:
  struct Keys {
    bool complete = false;  ///< holds those of the file too
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
  std::map<FamilyId, Keys> keys_;
};

}  // namespace spindle::columnar
