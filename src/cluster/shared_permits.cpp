#include "cluster/shared_permits.h"

#include <algorithm>
#include <utility>

#include "base/core/no_blocking.h"
#include "cluster/log.h"
#include "storage/database/database.h"

namespace spindle::cluster {
namespace {

using storage::Row, storage::Session;

constexpr std::chrono::milliseconds kRetryInterval{50};
/// A node takes this part of the permits at a time.
constexpr std::int64_t kParts = 16;

}  // namespace

bool SharedPermits::takeHeld(Pool& pool, std::int64_t most) {
  if (pool.running >= pool.held || pool.running >= most) return false;
  if (schedule_.now() >= pool.leased_until) return false;
  ++pool.running;
  pool.peak = std::max(pool.peak, pool.running);
  return true;
}

Result<bool> SharedPermits::acquire(std::string_view name, std::int64_t most) {
  const std::string key(name);
  {
    const MutexLock lock(mutex_);
    Pool& pool = pools_[key];
    if (takeHeld(pool, most)) return true;
    if (pool.running >= most || schedule_.now() < pool.refused_until) return false;
    if (NoBlocking::forbids()) return Error::unavailable("This thread must not wait.");
  }
  const std::int64_t part = std::max<std::int64_t>(1, most / kParts);
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  bool waits = false;
  while (true) {
    {
      const MutexLock one_at_a_time(exchanging_);
      std::int64_t wanted = 0;
      {
        const MutexLock lock(mutex_);
        Pool& pool = pools_[key];
        if (takeHeld(pool, most)) {
          if (waits) pool.awaited = false;
          return true;
        }
        wanted = pool.running + part;
        pool.most = most;
      }
      const Timestamp asked = schedule_.now();
      const Result<std::int64_t> held = exchange(key, wanted, most);
      const MutexLock lock(mutex_);
      Pool& pool = pools_[key];
      if (waits) pool.awaited = false;
      if (!held) return held.error();
      pool.held = *held;
      pool.leased_until = asked + kLease;
      if (takeHeld(pool, most)) return true;
      if (waits) pool.awaited = true;
    }
    const MutexLock lock(mutex_);
    const auto left = end - std::chrono::steady_clock::now();
    // One thread waits for other nodes. Refusals in a row cost no database access.
    if (left.count() <= 0 || (!waits && pools_[key].awaited)) {
      Pool& pool = pools_[key];
      pool.refused_until = schedule_.now() + kLongestWait;
      if (waits) pool.awaited = false;
      return false;
    }
    waits = pools_[key].awaited = true;
    released_.waitFor(mutex_, std::min<std::chrono::nanoseconds>(left, kRetryInterval));
    Pool& pool = pools_[key];
    if (!takeHeld(pool, most)) continue;
    pool.awaited = false;
    return true;
  }
}

void SharedPermits::release(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = pools_.find(name);
  if (found == pools_.end() || found->second.running == 0) return;
  --found->second.running;
  found->second.refused_until = {};
  released_.notifyAll();
}

std::int64_t SharedPermits::running(std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto found = pools_.find(name);
  return found == pools_.end() ? 0 : found->second.running;
}

void SharedPermits::want(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = pools_.find(name);
  if (found != pools_.end()) found->second.wanted = true;
}

Result<std::int64_t> SharedPermits::exchange(const std::string& name,
                                             std::int64_t held,
                                             std::int64_t most) {
  const Timestamp now = schedule_.now();
  const Timestamp until = now + kLease;
  return database_.writeUncached([&](Session& session) -> Result<std::int64_t> {
    std::int64_t granted = held;
    if (most > 0) {
      const std::optional<Row> others = TRY(session.queryOne(
          "SELECT coalesce(sum(permits), 0) AS permits FROM cluster_permits WHERE name = ? AND "
          "node_id <> ? AND leased_until > ?",
          {name, node_id_, now}));
      const std::int64_t free = std::max<std::int64_t>(most - others->integer("permits"), 0);
      granted = std::min(held, free);
      if (granted < held) TRY(session.notify(kWantedTopic, name));
    }
    if (granted == 0) {
      TRY(session.execute("DELETE FROM cluster_permits WHERE name = ? AND node_id = ?",
                          {name, node_id_}));
      return granted;
    }
    TRY(session.execute(
        "INSERT INTO cluster_permits (name, node_id, permits, leased_until) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (name, node_id) DO UPDATE SET permits = excluded.permits, "
        "leased_until = excluded.leased_until",
        {name, node_id_, granted, until}));
    return granted;
  });
}

void SharedPermits::refresh() {
  const MutexLock one_at_a_time(exchanging_);
  const Timestamp now = schedule_.now();
  struct Due {
    std::string name;
    std::int64_t keep = 0;
    std::int64_t most = 0;
  };
  std::vector<Due> due;
  {
    const MutexLock lock(mutex_);
    for (auto at = pools_.begin(); at != pools_.end();) {
      Pool& pool = at->second;
      const std::int64_t keep = pool.wanted ? pool.running : std::max(pool.running, pool.peak);
      pool.wanted = false;
      pool.peak = pool.running;
      if (pool.held == 0 && pool.running == 0) {
        at = pools_.erase(at);
        continue;
      }
      const bool expires = pool.leased_until < now + kLease / 2;
      if (keep < pool.held || (expires && keep > 0)) {
        // Before the row shrinks, no request may take what is returned.
        pool.held = std::min(pool.held, keep);
        // After the end of the lease, other nodes may have taken these permits.
        due.push_back({at->first, keep, pool.leased_until <= now ? pool.most : 0});
      }
      ++at;
    }
  }
  for (const auto& [name, keep, most] : due) {
    const Result<std::int64_t> held = exchange(name, keep, most);
    const MutexLock lock(mutex_);
    if (!held) {
      kLog.warning("permits_not_extended", {{"reason", held.error().message()}});
      continue;  // the lease expires
    }
    Pool& pool = pools_[name];
    pool.held = *held;
    pool.leased_until = now + kLease;
  }
}

void SharedPermits::returnAll() {
  const MutexLock one_at_a_time(exchanging_);
  {
    const MutexLock lock(mutex_);
    pools_.clear();
  }
  const Result<void> returned = database_.writeUncached([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM cluster_permits WHERE node_id = ?", {node_id_}));
    return {};
  });
  if (!returned) kLog.warning("permits_not_returned", {{"reason", returned.error().message()}});
}

}  // namespace spindle::cluster
