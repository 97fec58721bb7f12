#pragma once

#include <chrono>

#include "base/core/metrics.h"

namespace spindle::columnar {

/// The metrics of the store.
struct StoreMetrics {
  explicit StoreMetrics(MetricRegistry& registry);

  Gauge& queued_bytes;
  Counter& groups;
  Counter& changes;
  Counter& journal_bytes;
  Histogram& journal_seconds;
  Gauge& recent_rows;
  Gauge& recent_bytes;
  Histogram& flush_seconds;
  Histogram& checkpoint_seconds;
  Gauge& snapshots;
  Counter& reopened;
  Gauge& incomplete;
};

/// Records the time between its construction and destruction in a histogram.
class Stopwatch {
 public:
  explicit Stopwatch(Histogram& histogram)
      : histogram_(histogram), begin_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    histogram_.observe(took.count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  Histogram& histogram_;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace spindle::columnar
