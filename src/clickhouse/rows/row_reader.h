#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "clickhouse/rows/row_table.h"

namespace spindle::clickhouse {

/// Receives rows, and a position if all rows before it were passed.
using TakeRows = std::function<Result<void>(std::vector<columnar::Row> rows,
                                            std::optional<std::string> position)>;

/// Reads all records of a table in the order of its key, by windows of a few thousand rows, so that
/// the memory use here and in ClickHouse does not grow with the table. For one thread at a time;
/// blocks.
class RowReader {
 public:
  /// Both references must outlive this object. `window` is the number of rows of a window.
  RowReader(Client& client, const RowTable& table, std::int64_t window = kWindow)
      : client_(client), table_(table), window_(window) {}

  /// Returns the number of stored rows of all projects, with replaced ones.
  Result<std::int64_t> count();

  /// Passes the records of a project after a position (empty: all) to `take`, in batches of about 8
  /// MiB, in the form of RowTable::normalize(). Stops at the first error of `take` and returns it.
  /// @return kTooLarge for a project with more than a million scattered records.
  Result<void> read(std::string_view project, std::string_view after, const TakeRows& take);

 private:
  static constexpr std::int64_t kWindow = 16'384;

  /// The values of the columns of the key.
  using Key = std::vector<Value>;

  struct Statement {
    SqlText text;
    std::vector<Value> params;
  };

  static std::string positionOf(const Key& key);
  std::optional<Key> keyOf(std::string_view position) const;
  Key keyAt(const Cursor& row) const;
  SqlText keyList() const;
  /// Returns ` FROM … WHERE` with the rows after `from` and not after `to`.
  Statement rowsBetween(std::string_view project,
                        const std::optional<Key>& from,
                        const std::optional<Key>& to) const;
  void addComparison(Statement& statement, const Key& key, SqlView first, SqlView all) const;
  Result<std::optional<Key>> windowEnd(std::string_view project, const std::optional<Key>& from);
  Result<void> readWindow(std::string_view project,
                          const std::optional<Key>& from,
                          const std::optional<Key>& to,
                          const TakeRows& take);
  /// Reads the greatest versions of records that have rows with several keys.
  Result<void> readScattered(std::string_view project);
  bool isReplaced(const columnar::Row& row, std::int64_t version) const;

  Client& client_;
  const RowTable& table_;
  const std::int64_t window_;
  std::unordered_map<std::string, std::int64_t> newest_;  ///< of the scattered records
};

}  // namespace spindle::clickhouse
