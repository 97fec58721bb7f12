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

#include "columnar/journal_record.h"
#include "columnar/numbers.h"

namespace spindle::columnar {

/// Where a row is. `generation` 0 is the file; else `span` is its place in that journal.
struct Place {
  RowNumber number = 0;
  GenerationNumber generation = 0;
  Span span = {};
};

/// The key of a row, unique in the store.
std::string fullKey(TableKey table, std::string_view key);
/// The row's own key in it, and its table.
std::string_view keyIn(std::string_view full_key);
TableKey tableIn(std::string_view full_key);

/// Finds recent rows by key, and knows which older rows they replaced. For the writer's thread.
class RecentRows {
 public:
  /// Rows put from now on belong to this generation.
  void begin(GenerationNumber generation);
  /// The generation's rows are in the file now. @return what was known of them, to be thrown away
  /// where there is time for it.
  std::shared_ptr<void> end(GenerationNumber generation);

  /// The place of the row among recent ones, if it is there.
  std::optional<Place> find(const std::string& full_key) const;
  /// Adds a row to the latest generation, which must not have it yet.
  void put(const std::string& full_key, const Place& place);
  void erase(const std::string& full_key, GenerationNumber generation);

  /// Gives the places of a generation's rows to `visit`, in no order.
  void forEach(GenerationNumber generation, const std::function<void(const Place&)>& visit) const;

  /// The same with the full keys of all rows.
  void forEachKey(const std::function<void(std::string_view full_key)>& visit) const;

  /// A row of an earlier generation, or of the file, that must not be found any more.
  void supersede(RowNumber number);
  bool isSuperseded(RowNumber number) const;

 private:
  struct Rows {
    GenerationNumber generation = 0;
    std::unordered_map<std::string, Place> places;
    std::unordered_set<RowNumber> superseded;
  };
  std::deque<std::shared_ptr<Rows>> generations_;  // oldest first; shared to be handed on
};

}  // namespace spindle::columnar
