#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "runs/run.h"

namespace spindle::json {
class Node;
}

namespace spindle::runs {

/// Rows of one run, made flat: nested objects become dotted keys, every row knows its step and its
/// time. What comes out is one line of JSON for each row, and the numbers of each key as a column.
/// Used by one thread at a time.
class FlatRows {
 public:
  struct Column {
    std::string key;
    std::string last;                 ///< JSON text of the last value, as it was spelled
    std::vector<std::uint32_t> rows;  ///< of the numbers: where each stands, ever upwards
    std::vector<double> values;       ///< NaN and infinities come as texts of those names
  };

  /// The greatest step there is: every client can still count on from there.
  static constexpr std::int64_t kLastStep = std::int64_t{1} << 53;

  /// `last_step`: of the row before the first; `started`: what `_runtime` counts from; `prefix`:
  /// put before keys that do not begin with it.
  FlatRows(std::optional<std::int64_t> last_step, Timestamp started, std::string_view prefix)
      : last_step_(last_step), started_(started), prefix_(prefix) {}

  /// Adds a row. `metrics` must be a JSON object. @return false, and nothing is added, when its
  /// step is smaller than the one before, or greater than kLastStep.
  bool add(const NewRow& row, Timestamp now);

  /// Adds rows that lines() of another object gave.
  void addLines(std::string_view lines);

  std::size_t size() const { return steps_.size(); }
  std::optional<std::int64_t> lastStep() const { return last_step_; }
  /// Each ended by a line feed.
  const std::string& lines() const { return lines_; }
  const std::vector<std::int64_t>& steps() const { return steps_; }
  const std::vector<Timestamp>& times() const { return times_; }
  /// Every key but `_step`, in the order they were first seen.
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
  std::size_t expected_ = 0;  ///< rows mostly have the same keys in the same order
};

/// Keys that every row has of itself: `_step`, `_timestamp`, `_runtime`.
bool isOwnKey(std::string_view key);

/// Of `{"_step":3,…}`. The line must come from FlatRows.
std::int64_t stepOfLine(std::string_view line);

/// The lines of one step as one row: of a key that several have, the last one counts. With `keys`
/// the row has only those and its own; without any of them it is no row at all.
std::optional<std::string> mergedRow(const std::vector<std::string_view>& lines,
                                     const std::vector<std::string>& keys);

}  // namespace spindle::runs
