#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/mutex.h"
#include "columnar/journal/numbers.h"

namespace spindle::columnar {

/// Counts the removals of rows from the file. Added rows carry the number of their generation, so
/// two views with the same epoch see the same rows of every generation that both contain.
/// Thread-safe.
class RemovalEpoch {
 public:
  /// Scope guard around a transaction that removes rows from the file.
  class Removal {
   public:
    explicit Removal(RemovalEpoch& epoch) : epoch_(epoch) { ++epoch_.number_; }
    ~Removal() { ++epoch_.number_; }
    Removal(const Removal&) = delete;
    Removal& operator=(const Removal&) = delete;

   private:
    RemovalEpoch& epoch_;
  };

  /// Returns the current epoch, or nothing while rows are being removed, because it is then unknown
  /// whether a view sees them.
  std::optional<std::uint64_t> current() const {
    const std::uint64_t number = number_;
    return number % 2 == 0 ? std::optional(number) : std::nullopt;
  }

 private:
  std::atomic<std::uint64_t> number_{0};
};

/// Cache of row counts in the file. A count stays valid until rows are removed; rows of later
/// generations are added to it. Thread-safe.
class CountCache {
 public:
  /// The number of rows in all generations up to `generation`. Starts before generation 0, which
  /// has rows if the first journal moved into the file in several parts.
  struct Count {
    GenerationNumber generation = -1;
    std::int64_t rows = 0;
  };

  /// Returns the cached count of the rows of a table that satisfy a condition.
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
