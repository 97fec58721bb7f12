#include "http/connection_pool.h"

#include <utility>

namespace spindle::http {

void ConnectionPool::acquire(const std::string& origin, const Accept& accept, Ticket& ticket) {
  Origin& home = origins_[origin];
  // alive() is a system call, and hundreds of connections may be idle: stop at the first usable.
  for (std::size_t i = home.idle.size(); i-- > 0;) {
    Idle& idle = home.idle[i];
    const bool is_alive = idle.connection->alive();
    if (is_alive && !accept(*idle.connection)) continue;
    if (is_alive) ticket.connection = std::move(idle.connection);
    home.idle.erase(home.idle.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_alive) {
      ticket.granted = true;
      return;
    }
    --home.slots;
  }
  if (home.slots == slots_per_origin_ && !home.idle.empty()) {
    home.idle.pop_front();  // not usable for this request: make room for a new connection
    --home.slots;
  }
  if (home.slots < slots_per_origin_) {
    ++home.slots;
    ticket.granted = true;
    return;
  }
  home.line.push_back(&ticket);
}

void ConnectionPool::leave(const std::string& origin, Ticket& ticket, Clock::time_point now) {
  if (ticket.granted) {
    release(origin, std::move(ticket.connection), now);
    return;
  }
  const auto home = origins_.find(origin);
  if (home == origins_.end()) return;
  home->second.line.remove(&ticket);
  drop(home);
}

void ConnectionPool::release(const std::string& origin,
                             std::unique_ptr<Connection> connection,
                             Clock::time_point now) {
  const auto home = origins_.find(origin);
  Origin& slots = home->second;
  if (!slots.line.empty()) {
    Ticket& next = *slots.line.front();
    slots.line.pop_front();
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
  drop(home);
}

std::optional<ConnectionPool::Clock::time_point> ConnectionPool::sweep(Clock::time_point now) {
  std::optional<Clock::time_point> next;
  for (auto home = origins_.begin(); home != origins_.end();) {
    Origin& slots = home->second;
    while (!slots.idle.empty() && slots.idle.front().since + idle_timeout_ <= now) {
      slots.idle.pop_front();
      --slots.slots;
    }
    if (!slots.idle.empty()) {
      const Clock::time_point due = slots.idle.front().since + idle_timeout_;
      if (!next || due < *next) next = due;
    }
    drop(home++);
  }
  return next;
}

void ConnectionPool::close() {
  idle_per_origin_ = 0;
  for (auto home = origins_.begin(); home != origins_.end();) {
    home->second.slots -= home->second.idle.size();
    home->second.idle.clear();
    drop(home++);
  }
}

std::size_t ConnectionPool::idleCount() const {
  std::size_t count = 0;
  for (const auto& [name, home] : origins_) count += home.idle.size();
  return count;
}

/// Removes an unused origin, so that the map does not grow with every host.
void ConnectionPool::drop(Origins::iterator origin) {
  if (origin->second.slots == 0 && origin->second.line.empty()) origins_.erase(origin);
}

}  // namespace spindle::http
