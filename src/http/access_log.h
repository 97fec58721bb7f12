#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "http/message.h"

namespace spindle::http {

/// One answered request. The path has no query: secrets may be there.
struct AccessRecord {
  Method method = Method::kOther;
  int status = 0;
  std::uint64_t bytes = 0;  ///< of the body, as sent
  std::chrono::nanoseconds duration{0};
  std::string_view route;  ///< storage that outlives the log
  std::string path;
  std::string request_id;
  std::string user;
  std::string peer;
};

/// Writes a line for each request, on a thread of its own: an I/O thread must not wait for whoever
/// reads our stderr. When the output cannot keep up, records are lost and counted. Thread-safe.
class AccessLog {
 public:
  explicit AccessLog(Counter& lost);
  ~AccessLog();  ///< writes what has been added
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
