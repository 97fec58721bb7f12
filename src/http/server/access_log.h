#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/mutex.h"
#include "http/message/message.h"

namespace spindle::http {

/// A log record of a completed request. The path has no query, which may contain secrets.
struct AccessRecord {
  Method method = Method::kOther;
  int status = 0;
  std::uint64_t bytes = 0;  ///< of the response body, as sent
  std::chrono::nanoseconds duration{0};
  std::string_view route;  ///< in storage that outlives the log
  std::string path;
  std::string request_id;
  std::string user;
  std::string peer;
};

/// Writes one line per request on its own thread, so that I/O threads never wait for the reader of
/// stderr. If the output is too slow, records are dropped and counted. Thread-safe.
class AccessLog {
 public:
  explicit AccessLog(Counter& lost);
  ~AccessLog();  ///< writes all added records
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void add(AccessRecord record);

 private:
  void work();

  Counter& lost_;
  Mutex mutex_;
  Condition changed_;
  std::vector<AccessRecord> records_ SPINDLE_GUARDED_BY(mutex_);
  bool waiting_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace spindle::http
