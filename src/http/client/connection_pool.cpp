#include "http/client/connection_pool.h"

#include <utility>

namespace spindle::http {

void ConnectionPool::acquire(const std::string& origin,
                             const Accept& accept,
                             SlotRequest& slot_request) {
  Origin& entry = origins_[origin];
  // alive() is a system call, and hundreds of connections may be idle: stop at the first usable.
  for (std::size_t i = entry.idle.size(); i-- > 0;) {
    Idle& idle = entry.idle[i];
    const bool is_alive = idle.connection->alive();
    if (is_alive && !accept(*idle.connection)) continue;
    if (is_alive) slot_request.connection = std::move(idle.connection);
    entry.idle.erase(entry.idle.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_alive) {
      slot_request.granted = true;
      return;
    }
    --entry.slots;
  }
  if (entry.slots == slots_per_origin_ && !entry.idle.empty()) {
    entry.idle.pop_front();  // not usable for this request: make room for a new connection
    --entry.slots;
  }
  if (entry.slots < slots_per_origin_) {
    ++entry.slots;
    slot_request.granted = true;
    return;
  }
  entry.waiters.push_back(&slot_request);
}

void ConnectionPool::detach(const std::string& origin,
                            SlotRequest& slot_request,
                            Clock::time_point now) {
  if (slot_request.granted) {
    release(origin, std::move(slot_request.connection), now);
    return;
  }
  const auto entry = origins_.find(origin);
  if (entry == origins_.end()) return;
  entry->second.waiters.remove(&slot_request);
  drop(entry);
}

void ConnectionPool::release(const std::string& origin,
                             std::unique_ptr<Connection> connection,
                             Clock::time_point now) {
  const auto entry = origins_.find(origin);
  Origin& slots = entry->second;
  if (!slots.waiters.empty()) {
    SlotRequest& next = *slots.waiters.front();
    slots.waiters.pop_front();
    next.connection = std::move(connection);
    next.granted = true;
    next.on_granted();
    return;
  }
  if (connection && idle_per_origin_ > 0) {
    slots.idle.push_back({std::move(connection), now});
    if (slots.idle.size() <= idle_per_origin_) return;
    slots.idle.pop_front();
  }
  --slots.slots;
  drop(entry);
}

std::optional<ConnectionPool::Clock::time_point> ConnectionPool::sweep(Clock::time_point now) {
  std::optional<Clock::time_point> next;
  for (auto entry = origins_.begin(); entry != origins_.end();) {
    Origin& slots = entry->second;
    while (!slots.idle.empty() && slots.idle.front().since + idle_timeout_ <= now) {
      slots.idle.pop_front();
      --slots.slots;
    }
    if (!slots.idle.empty()) {
      const Clock::time_point due = slots.idle.front().since + idle_timeout_;
      if (!next || due < *next) next = due;
    }
    drop(entry++);
  }
  return next;
}

void ConnectionPool::close() {
  idle_per_origin_ = 0;
  for (auto entry = origins_.begin(); entry != origins_.end();) {
    entry->second.slots -= entry->second.idle.size();
    entry->second.idle.clear();
    drop(entry++);
  }
}

std::size_t ConnectionPool::idleCount() const {
  std::size_t count = 0;
  for (const auto& [name, entry] : origins_) count += entry.idle.size();
  return count;
}

/// Removes an unused origin, so that the map does not grow with every host.
void ConnectionPool::drop(Origins::iterator origin) {
  if (origin->second.slots == 0 && origin->second.waiters.empty()) origins_.erase(origin);
}

}  // namespace spindle::http
