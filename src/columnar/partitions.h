#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "columnar/numbers.h"

namespace spindle::columnar {

/// The names of partitions and what they stand for at a version of the store. Thread-safe.
class Partitions {
 public:
  /// The partition of that name as a snapshot of that version sees it.
  std::optional<PartitionNumber> find(std::string_view name, std::uint64_t version) const;
  /// As it is now.
  std::optional<PartitionNumber> find(std::string_view name) const;

  /// The name that the partition has or had.
  std::optional<std::string> nameOf(PartitionNumber number) const;

  /// The names that stand for a partition now.
  std::vector<std::string> names() const;

  /// A number that no partition has or had. Two calls give the same one until it is defined.
  PartitionNumber nextNumber() const;

  /// Numbers below this one are never given out, whether they are defined or not.
  void reserve(PartitionNumber below);

  void define(PartitionNumber number, std::string_view name);

  struct Retired {
    PartitionNumber number = 0;
    std::uint64_t version = 0;        ///< the first that does not see it
    GenerationNumber generation = 0;  ///< whose journal says so; 0 when the file does
  };
  /// Takes the name away from the partition.
  void retire(const Retired& retired);
  /// Partitions that were retired and not forgotten yet.
  std::vector<Retired> retired() const;
  bool isRetired(PartitionNumber number) const;
  bool isDefined(PartitionNumber number) const;
  /// Nothing of the partition is left anywhere.
  void forget(PartitionNumber number);

  struct Named {
    PartitionNumber number = 0;
    std::string name;
  };
  /// Defined since the last call, for the file.
  std::vector<Named> takeNew();
  /// Puts them back after the file could not be written.
  void returnNew(std::vector<Named> names);

 private:
  struct Life {
    PartitionNumber number = 0;
    std::uint64_t ended = UINT64_MAX;  ///< the first version that does not see it
  };

  mutable Mutex mutex_;
  std::map<std::string, std::vector<Life>, std::less<>> names_ SPINDLE_GUARDED_BY(mutex_);
  std::map<PartitionNumber, std::string> numbers_ SPINDLE_GUARDED_BY(mutex_);
  std::map<PartitionNumber, Retired> retired_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<Named> new_ SPINDLE_GUARDED_BY(mutex_);
  PartitionNumber next_ SPINDLE_GUARDED_BY(mutex_) = 1;
};

}  // namespace spindle::columnar
