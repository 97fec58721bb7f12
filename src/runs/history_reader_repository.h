#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runs/run.h"
#include "runs/series.h"

namespace spindle::storage {
class Database;
}

namespace spindle::runs {

class HistoryStore;

/// Which rows are wanted.
struct HistoryQuery {
  std::vector<std::string> keys = {};  ///< none: all
  std::optional<std::int64_t> min_step = {};
  std::optional<std::int64_t> max_step = {};
  int limit = 50;
  std::int64_t from_line = 0;  ///< where the page before ended
};

struct HistoryPage {
  std::vector<std::string> rows;          ///< JSON objects, by step
  std::optional<std::int64_t> next_line;  ///< what to pass as `from_line`; empty at the end
};

struct SampleQuery {
  std::vector<std::string> keys;
  std::optional<std::int64_t> min_step = {};
  std::optional<std::int64_t> max_step = {};
  std::size_t points = 500;
};

struct SampledMetric {
  std::string key;
  std::int64_t count = 0;  ///< values that the points stand for
  std::vector<SamplePoint> points;
};

/// Reads what runs have logged; what has been acknowledged is seen. Thread-safe; calls block on
/// disk: worker threads only. Any may return kUnavailable or kTimeout.
class HistoryReader {
 public:
  HistoryReader(storage::Database& database, const HistoryStore& store)
      : database_(database), store_(store) {}

  /// @return kNotFound.
  Result<HistoryPage> read(std::string_view project_id,
                           std::string_view run_id,
                           Stream stream,
                           const HistoryQuery& query);

  /// Every key that was asked for, in that order, whether it has values or not. @return kNotFound.
  Result<std::vector<SampledMetric>> sample(std::string_view project_id,
                                            std::string_view run_id,
                                            Stream stream,
                                            const SampleQuery& query);

 private:
  storage::Database& database_;
  const HistoryStore& store_;
};

}  // namespace spindle::runs
