#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/core/mutex.h"
#include "cluster/shared_permits.h"
#include "cluster/shared_rates.h"

namespace spindle::cluster {

/// The limits that the nodes of a deployment share, and the thread that refreshes the shares of
/// this node once a second. Thread-safe.
class SharedLimits {
 public:
  /// All must outlive this object. Subscribes to messages: construct it before
  /// storage::Database::startListening().
  SharedLimits(storage::Database& database, const Clock& schedule, const std::string& node_id);
  /// Calls stop().
  ~SharedLimits();
  SharedLimits(const SharedLimits&) = delete;
  SharedLimits& operator=(const SharedLimits&) = delete;

  SharedRates& rates() { return rates_; }
  SharedPermits& permits() { return permits_; }

  /// Adds functions of another kind of share; before start(). Both may block.
  void add(std::function<void()> refresh, std::function<void()> return_all);

  void start();
  /// Ends the thread and returns all shares.
  void stop();

 private:
  void run(const std::stop_token& stop);

  SharedRates rates_;
  SharedPermits permits_;
  std::vector<std::function<void()>> refresh_;     ///< constant while the thread runs
  std::vector<std::function<void()>> return_all_;  ///< the same

  Mutex mutex_;
  Condition changed_;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace spindle::cluster
