#include "cluster/shared_limits.h"

#include <chrono>
#include <utility>

#include "storage/database/database.h"

namespace spindle::cluster {
namespace {

constexpr std::chrono::seconds kRefreshInterval{1};

}  // namespace

SharedLimits::SharedLimits(storage::Database& database,
                           const Clock& schedule,
                           const std::string& node_id)
    : rates_(database, schedule), permits_(database, schedule, node_id) {
  database.subscribe(SharedPermits::kWantedTopic, [this](std::string_view name) {
    permits_.want(name);
    const MutexLock lock(mutex_);
    woken_ = true;
    changed_.notifyAll();
  });
}

SharedLimits::~SharedLimits() { stop(); }

void SharedLimits::add(std::function<void()> refresh, std::function<void()> return_all) {
  refresh_.push_back(std::move(refresh));
  return_all_.push_back(std::move(return_all));
}

void SharedLimits::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void SharedLimits::stop() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  thread_.request_stop();
  thread_.join();
  rates_.returnAll();
  permits_.returnAll();
  for (const std::function<void()>& return_all : return_all_) return_all();
}

void SharedLimits::run(const std::stop_token& stop) {
  auto due = std::chrono::steady_clock::now() + kRefreshInterval;
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      const auto left = due - std::chrono::steady_clock::now();
      if (!woken_ && !stopping_ && left.count() > 0) changed_.waitFor(mutex_, left);
      woken_ = false;
      if (stopping_) return;
    }
    permits_.refresh();
    if (std::chrono::steady_clock::now() < due) continue;
    due = std::chrono::steady_clock::now() + kRefreshInterval;
    rates_.refresh();
    for (const std::function<void()>& refresh : refresh_) refresh();
  }
}

}  // namespace spindle::cluster
