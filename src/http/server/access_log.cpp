#include "http/server/access_log.h"

#include <cmath>
#include <utility>

#include "base/core/log.h"
#include "http/server/log.h"

namespace spindle::http {
namespace {

constexpr std::size_t kCapacity = 32UL * 1024;
constexpr std::size_t kFlushThreshold = kCapacity / 4;
/// Delay before records are written, so that a busy server rarely wakes this thread.
constexpr std::chrono::milliseconds kFlushDelay{20};

void write(const AccessRecord& record) {
  const double millis = std::chrono::duration<double, std::milli>(record.duration).count();
  LogFields fields;
  fields.reserve(9);
  fields.emplace_back("method", nameOf(record.method));
  fields.emplace_back("path", std::string_view(record.path));
  fields.emplace_back("route", record.route);
  fields.emplace_back("status", record.status);
  fields.emplace_back("bytes", record.bytes);
  fields.emplace_back("duration_ms", std::round(millis * 1000) / 1000);
  fields.emplace_back("request_id", std::string_view(record.request_id));
  fields.emplace_back("user", std::string_view(record.user));
  fields.emplace_back("peer", std::string_view(record.peer));
  kLog.info("request", fields);
}

}  // namespace

AccessLog::AccessLog(Counter& lost) : lost_(lost), thread_([this] { work(); }) {}

AccessLog::~AccessLog() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notifyAll();
  thread_.join();
}

void AccessLog::add(AccessRecord record) {
  bool wake = false;
  {
    const MutexLock lock(mutex_);
    if (records_.size() >= kCapacity) {
      lost_.add();
      return;
    }
    records_.push_back(std::move(record));
    wake = (waiting_ && records_.size() == 1) || records_.size() == kFlushThreshold;
  }
  if (wake) changed_.notifyAll();
}

void AccessLog::work() {
  std::vector<AccessRecord> batch;
  bool stopping = false;
  while (!stopping) {
    {
      const MutexLock lock(mutex_);
      waiting_ = true;
      while (records_.empty() && !stopping_) changed_.wait(mutex_);
      waiting_ = false;
      if (!stopping_ && records_.size() < kFlushThreshold) changed_.waitFor(mutex_, kFlushDelay);
      stopping = stopping_;
      batch.swap(records_);
    }
    for (const AccessRecord& record : batch) write(record);
    batch.clear();
    if (batch.capacity() > 4096) batch.shrink_to_fit();
  }
}

}  // namespace spindle::http
