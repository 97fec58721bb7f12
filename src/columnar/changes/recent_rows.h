#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "columnar/journal/journal_record.h"
#include "columnar/journal/numbers.h"

namespace spindle::columnar {

/// Location of a row. `generation` 0 is the file; otherwise `span` is its position in the journal
/// of that generation.
struct RowLocation {
  RowNumber number = 0;
  GenerationNumber generation = 0;
  RecordRange span = {};
};

/// Returns the key of a row that is unique in the store.
std::string fullKey(TableKey table, std::string_view key);
/// Return the row's own key and its table from a full key.
std::string_view keyIn(std::string_view full_key);
TableKey tableIn(std::string_view full_key);

/// Index of recent rows by key. Also records which older rows they replaced. For the writer thread.
class RecentRows {
 public:
  /// Starts a generation; later rows belong to it.
  void begin(GenerationNumber generation);
  /// Removes a generation whose rows are now in the file. @return its index data, which the caller
  /// destroys later because that takes time.
  std::shared_ptr<void> end(GenerationNumber generation);

  /// Returns the location of a recent row, or nothing.
  std::optional<RowLocation> find(const std::string& full_key) const;
  /// Adds a row to the newest generation, which must not contain it yet.
  void put(const std::string& full_key, const RowLocation& place);
  void erase(const std::string& full_key, GenerationNumber generation);

  /// Calls `visit` with the location of each row of a generation, in no order.
  void forEach(GenerationNumber generation,
               const std::function<void(const RowLocation&)>& visit) const;

  /// Calls `visit` with the full key of each row of all generations.
  void forEachKey(const std::function<void(std::string_view full_key)>& visit) const;

  /// Marks a row of an earlier generation, or of the file, as replaced.
  void supersede(RowNumber number);
  bool isSuperseded(RowNumber number) const;

 private:
  struct Rows {
    GenerationNumber generation = 0;
    std::unordered_map<std::string, RowLocation> places;
    std::unordered_set<RowNumber> superseded;
  };
  std::deque<std::shared_ptr<Rows>> generations_;  // oldest first; shared for deferred destruction
};

}  // namespace spindle::columnar
