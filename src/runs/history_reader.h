#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "runs/run.h"
#include "runs/sampler.h"
#include "storage/database/forward.h"

namespace spindle::runs {

class HistoryStore;

/// A query for rows of a stream.
struct HistoryQuery {
  std::vector<std::string> keys = {};  ///< empty: all keys
  std::optional<std::int64_t> min_step = {};
  std::optional<std::int64_t> max_step = {};
  int limit = 50;
  std::int64_t from_line = 0;  ///< `next_line` of the previous page
};

struct HistoryPage {
  std::vector<std::string> rows;          ///< JSON objects in step order
  std::optional<std::int64_t> next_line;  ///< `from_line` of the next page; empty at the end
};

struct SampleQuery {
  std::vector<std::string> keys;
  std::optional<std::int64_t> min_step = {};
  std::optional<std::int64_t> max_step = {};
  std::size_t points = 500;
};

struct SampledMetric {
  std::string key;
  std::int64_t count = 0;  ///< number of values that the points summarize
  std::vector<SamplePoint> points;
};

/// Reads the history of runs, including every acknowledged row. Thread-safe; calls block on disk:
/// worker threads only. Every call can return kUnavailable or kTimeout.
class HistoryReader {
 public:
  HistoryReader(storage::Database& database, const HistoryStore& store)
      : database_(database), store_(store) {}

  /// Returns a page of rows. @return kNotFound.
  Result<HistoryPage> read(const RunKey& run, Stream stream, const HistoryQuery& query);

  /// Returns one SampledMetric per requested key, in request order, even for keys without values.
  /// @return kNotFound.
  Result<std::vector<SampledMetric>> sample(const RunKey& run,
                                            Stream stream,
                                            const SampleQuery& query);

 private:
  storage::Database& database_;
  const HistoryStore& store_;
};

}  // namespace spindle::runs
