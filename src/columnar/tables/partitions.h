#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "columnar/journal/numbers.h"

namespace spindle::columnar {

/// Maps partition names to numbers for each version of the store. Thread-safe.
class Partitions {
 public:
  /// Returns the partition of that name in a snapshot of that version.
  std::optional<PartitionNumber> find(std::string_view name, std::uint64_t version) const;
  /// Returns the current partition of that name.
  std::optional<PartitionNumber> find(std::string_view name) const;

  /// Returns the current or former name of the partition.
  std::optional<std::string> nameOf(PartitionNumber number) const;

  /// Returns the names of all current partitions.
  std::vector<std::string> names() const;

  /// Returns an unused number. Two calls return the same number until it is defined.
  PartitionNumber nextNumber() const;

  /// Prevents numbers below `below` from being assigned, whether they are defined or not.
  void reserve(PartitionNumber below);

  void define(PartitionNumber number, std::string_view name);

  struct Retired {
    PartitionNumber number = 0;
    std::uint64_t version = 0;        ///< first version that does not see the partition
    GenerationNumber generation = 0;  ///< whose journal records it; 0 if the file does
  };
  /// Removes the name of the partition.
  void retire(const Retired& retired);
  /// Returns the partitions that are retired and not forgotten yet.
  std::vector<Retired> retired() const;
  bool isRetired(PartitionNumber number) const;
  bool isDefined(PartitionNumber number) const;
  /// Forgets a partition of which no data remains.
  void forget(PartitionNumber number);

  struct Named {
    PartitionNumber number = 0;
    std::string name;
  };
  /// Returns the partitions defined since the last call, to be saved in the file.
  std::vector<Named> takeNew();
  /// Returns them to the list after a failed write to the file.
  void returnNew(std::vector<Named> names);

 private:
  struct Lifetime {
    PartitionNumber number = 0;
    std::uint64_t ended = UINT64_MAX;  ///< first version that does not see the partition
  };

  mutable Mutex mutex_;
  std::map<std::string, std::vector<Lifetime>, std::less<>> names_ SPINDLE_GUARDED_BY(mutex_);
  std::map<PartitionNumber, std::string> numbers_ SPINDLE_GUARDED_BY(mutex_);
  std::map<PartitionNumber, Retired> retired_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<Named> new_ SPINDLE_GUARDED_BY(mutex_);
  PartitionNumber next_ SPINDLE_GUARDED_BY(mutex_) = 1;
};

}  // namespace spindle::columnar
