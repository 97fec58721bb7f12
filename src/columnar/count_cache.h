#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "columnar/numbers.h"

namespace spindle::columnar {

/// How often rows have left the file. Rows that come carry the number of their generation, so two
/// views with the same epoch see the same rows of every generation that both know. Thread-safe.
class RemovalEpoch {
 public:
  /// Stands around a transaction that takes rows out of the file.
  class Removal {
   public:
    explicit Removal(RemovalEpoch& epoch) : epoch_(epoch) { ++epoch_.number_; }
    ~Removal() { ++epoch_.number_; }
    Removal(const Removal&) = delete;
    Removal& operator=(const Removal&) = delete;

   private:
    RemovalEpoch& epoch_;
  };

  /// Empty while rows are being removed: whether a view sees them is then not known.
  std::optional<std::uint64_t> current() const {
    const std::uint64_t number = number_;
    return number % 2 == 0 ? std::optional(number) : std::nullopt;
  }

 private:
  std::atomic<std::uint64_t> number_{0};
};

/// Counts of rows in the file that were made once and hold until rows are removed; what came later
/// is added to them. Thread-safe.
class CountCache {
 public:
  /// So many rows of the generations up to this one.
  struct Count {
    GenerationNumber generation = 0;
    std::int64_t rows = 0;
  };

  /// What is known of the rows of a table that satisfy a condition.
  std::optional<Count> find(TableKey table, std::string_view condition, std::uint64_t epoch) const;
  void put(TableKey table, std::string_view condition, std::uint64_t epoch, Count count);

 private:
  static constexpr std::size_t kMostCounts = 32'768;

  struct Entry {
    std::uint64_t epoch = 0;
    Count count;
  };

  mutable Mutex mutex_;
  std::map<std::pair<TableKey, std::string>, Entry> entries_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::columnar
