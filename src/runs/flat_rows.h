#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "runs/run.h"

namespace spindle::json {
class Node;
}

namespace spindle::runs {

/// Flattens the rows of one run: nested objects become dotted keys, and every row gets a step and a
/// time. The result is one line of JSON per row, and one column of numbers per key. Not
/// thread-safe.
class FlatRows {
 public:
  struct Column {
    std::string key;
    std::string last;                 ///< JSON text of the last value, as the client wrote it
    std::vector<std::uint32_t> rows;  ///< row index of each number, ascending
    std::vector<double> values;       ///< `"NaN"`, `"Infinity"` and `"-Infinity"` are numbers too
  };

  /// The greatest step. Integers up to 2^53 are exact in every JSON client.
  static constexpr std::int64_t kLastStep = std::int64_t{1} << 53;

  /// `last_step`: step of the previous row; `started`: zero point of `_runtime`; `prefix`: added to
  /// keys that do not begin with it.
  FlatRows(std::optional<std::int64_t> last_step, Timestamp started, std::string_view prefix)
      : last_step_(last_step), started_(started), prefix_(prefix) {}

  /// Adds a row. `metrics` must be a JSON object. Returns false and adds nothing if the step is
  /// less than the previous step or greater than kLastStep.
  bool add(const NewRow& row, Timestamp now);

  /// Adds rows in the format of lines().
  void addLines(std::string_view lines);

  std::size_t size() const { return steps_.size(); }
  std::optional<std::int64_t> lastStep() const { return last_step_; }
  /// Returns the rows as JSON, each ended by a line feed.
  const std::string& lines() const { return lines_; }
  const std::vector<std::int64_t>& steps() const { return steps_; }
  const std::vector<Timestamp>& times() const { return times_; }
  /// Returns the columns of all keys except `_step`, in order of first occurrence.
  const std::deque<Column>& columns() const { return columns_; }

 private:
  void walk(const json::Node& object, const std::string& path);
  void record(std::string_view key, const json::Node& value);
  void record(std::string_view key, std::string_view text, std::optional<double> number);
  Column& columnOf(std::string_view key);

  std::optional<std::int64_t> last_step_;
  const Timestamp started_;
  const std::string prefix_;
  std::string lines_;
  std::vector<std::int64_t> steps_;
  std::vector<Timestamp> times_;
  std::deque<Column> columns_;
  std::unordered_map<std::string_view, std::size_t> by_key_;
  std::size_t expected_ = 0;  ///< likely next column: rows mostly repeat the order of keys
};

/// Returns true for the keys that the server adds to every row: `_step`, `_timestamp`, `_runtime`.
bool isReservedKey(std::string_view key);

/// Returns the step of a line `{"_step":3,…}`. The line must come from FlatRows.
std::int64_t stepOfLine(std::string_view line);

/// Merges the lines of one step into one row. If several lines have a key, the last value wins.
/// With `keys`, the row contains only these keys and the keys of isReservedKey(); returns nothing
/// if the lines have none of `keys`.
std::optional<std::string> mergedRow(const std::vector<std::string_view>& lines,
                                     const std::vector<std::string>& keys);

}  // namespace spindle::runs
