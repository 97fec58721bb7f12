#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "columnar/duckdb/reader_pool.h"
#include "columnar/duckdb/watchdog.h"
#include "columnar/store/flusher.h"
#include "columnar/store/store_parts.h"
#include "columnar/store/writer.h"

namespace spindle::columnar {

/// An open store: one DuckDB instance and the threads that use it. When DuckDB fails permanently,
/// the store opens a new Core in its place. Thread-safe.
class Core {
 public:
  /// Opens the files and recovers. `pause` is passed to StoreParts. @throws std::runtime_error
  Core(const StoreOptions& options,
       const std::vector<Family>& families,
       StoreMetrics& metrics,
       std::chrono::seconds pause);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Completes the queued work and stops the threads. Snapshots may remain.
  void stop();
  /// Returns true after stop(): another core has taken over, or the store is closing.
  bool stopped() const { return stopped_; }

  StoreParts& parts() { return parts_; }
  Writer& writer() { return *writer_; }
  Flusher& flusher() { return flusher_; }
  ReaderPool& readers() { return readers_; }
  Watchdog& watchdog() { return watchdog_; }

 private:
  StoreParts parts_;
  ReaderPool readers_;
  Watchdog watchdog_;
  Flusher flusher_;
  std::unique_ptr<Writer> writer_;
  std::atomic<bool> stopped_{false};
};

}  // namespace spindle::columnar
