#include "cluster/shared_rates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/core/no_blocking.h"
#include "cluster/log.h"
#include "storage/database/database.h"

namespace spindle::cluster {
namespace {

using storage::Row, storage::Session;

/// Rounding errors make a level slightly too small.
constexpr double kRounding = 1e-6;
constexpr double kMicrosPerMinute = 60e6;
/// A refusal is remembered for at most this long, because other nodes may return tokens.
constexpr std::chrono::seconds kLongestRefusal{1};
constexpr std::chrono::minutes kRemovalInterval{10};
/// The tokens of smaller shares are too few to be kept for requests that may not come.
constexpr double kSmallestRefill = 4;
/// Exchanges per refresh(); the other shares wait for the next one.
constexpr std::size_t kMaxExchanges = 200;
/// A stop returns shares for this long.
constexpr std::chrono::seconds kLongestReturn{5};

/// A bucket is stored as the time at which it is full. Tokens become microseconds.
double timeOf(const Rate& rate, double tokens) {
  return tokens * kMicrosPerMinute / rate.per_minute;
}
double levelAt(const Rate& rate, std::int64_t full_at, std::int64_t now) {
  const auto missing = static_cast<double>(std::max<std::int64_t>(full_at - now, 0));
  return rate.capacity - missing * rate.per_minute / kMicrosPerMinute;
}

}  // namespace

double SharedRates::sizeOfShare(const Rate& rate) {
  const double seconds = std::chrono::duration<double>(kShareTime).count();
  return std::min(rate.capacity, std::max(1.0, rate.per_minute * seconds / 60));
}

SharedRates::Share& SharedRates::shareOf(std::string_view name, const Rate& rate) {
  auto found = shares_.find(name);
  if (found == shares_.end()) found = shares_.try_emplace(std::string(name)).first;
  found->second.rate = rate;
  return found->second;
}

Result<SharedRates::Outcome> SharedRates::take(std::string_view name,
                                               const Rate& rate,
                                               double amount) {
  const Timestamp now = schedule_.now();
  const double need = std::min(amount, rate.capacity);
  double give = 0;
  {
    const MutexLock lock(mutex_);
    Share& share = shareOf(name, rate);
    share.used_at = now;
    if (share.level + kRounding >= amount) {
      share.level -= amount;
      return Outcome{true, share.level + std::max(share.shared_level, 0.0), 0};
    }
    if (now < share.refused_until && amount >= share.refused_amount) {
      const std::chrono::duration<double> wait = share.refused_until - now;
      return Outcome{false, 0, wait.count()};
    }
    if (NoBlocking::forbids()) return Error::unavailable("This thread must not wait.");
    give = std::exchange(share.level, 0);
  }
  const Result<Grant> grant =
      exchange(std::string(name), rate, give, need, std::max(amount, sizeOfShare(rate)));
  const MutexLock lock(mutex_);
  Share& share = shareOf(name, rate);
  if (!grant) {
    // They may have been returned: the outcome of a commit can be unknown.
    if (give < 0) share.level += give;
    return grant.error();
  }
  share.shared_level = grant->level;
  if (grant->tokens == 0) {
    const double wait = std::max((need - grant->level) * 60 / rate.per_minute, kRounding);
    share.refused_amount = amount;
    share.refused_until =
        now + std::min<std::chrono::microseconds>(
                  kLongestRefusal,
                  std::chrono::microseconds(static_cast<std::int64_t>(std::ceil(wait * 1e6))));
    return Outcome{false, std::max(grant->level, 0.0), wait};
  }
  share.level += grant->tokens - amount;
  return Outcome{true, std::max(share.level, 0.0) + std::max(grant->level, 0.0), 0};
}

void SharedRates::give(std::string_view name, const Rate& rate, double amount) {
  const MutexLock lock(mutex_);
  Share& share = shareOf(name, rate);
  share.level = std::min(share.level + amount, rate.capacity);
}

Result<SharedRates::Grant> SharedRates::exchange(
    const std::string& name, const Rate& rate, double give, double need, double want) {
  const std::int64_t now = microsOf(schedule_.now());
  return database_.writeUncached([&](Session& session) -> Result<Grant> {
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT full_at FROM cluster_rates WHERE name = ?", {name}));
    double full_at = static_cast<double>(std::max(row ? row->integer("full_at") : now, now));
    // Rounded so that tokens are lost, never made.
    full_at -= std::floor(timeOf(rate, give));
    full_at = std::max(full_at, static_cast<double>(now));
    const double level = levelAt(rate, static_cast<std::int64_t>(full_at), now);
    Grant grant{0, level};
    if (want > 0 && level + kRounding >= need) {
      // An amount above the capacity is taken completely.
      grant.tokens = want > rate.capacity ? want : std::max(std::min(want, level), need);
      full_at += std::ceil(timeOf(rate, grant.tokens));
      grant.level = levelAt(rate, static_cast<std::int64_t>(full_at), now);
    }
    TRY(
        session.execute("INSERT INTO cluster_rates (name, full_at) VALUES (?, ?) "
                        "ON CONFLICT (name) DO UPDATE SET full_at = excluded.full_at",
                        {name, static_cast<std::int64_t>(full_at)}));
    return grant;
  });
}

void SharedRates::refill(const std::string& name, const Rate& rate, double give, double want) {
  const Result<Grant> grant = exchange(name, rate, give, 0, want);
  const MutexLock lock(mutex_);
  Share& share = shareOf(name, rate);
  if (!grant) {
    kLog.warning("share_not_exchanged", {{"reason", grant.error().message()}});
    if (give < 0) share.level += give;
    return;
  }
  share.level += grant->tokens;
  share.shared_level = grant->level;
}

void SharedRates::refresh() {
  struct Exchange {
    std::string name;
    Rate rate;
    double give = 0;
    double want = 0;
  };
  std::vector<Exchange> due;
  const Timestamp now = schedule_.now();
  {
    const MutexLock lock(mutex_);
    for (auto at = shares_.begin(); at != shares_.end() && due.size() < kMaxExchanges;) {
      Share& share = at->second;
      const bool idle = now - share.used_at > kShareTime;
      if (idle && std::abs(share.level) < kRounding) {
        at = shares_.erase(at);
        continue;
      }
      const double size = sizeOfShare(share.rate);
      if (idle || share.level < 0) {
        due.push_back({at->first, share.rate, std::exchange(share.level, 0), 0});
      } else if (size >= kSmallestRefill && share.level < size / 2 && now >= share.refused_until) {
        due.push_back({at->first, share.rate, 0, size - share.level});
      }
      ++at;
    }
  }
  for (const Exchange& one : due) refill(one.name, one.rate, one.give, one.want);
  if (now >= next_removal_) {
    next_removal_ = now + kRemovalInterval;
    removeFullBuckets();
  }
}

void SharedRates::returnAll() {
  std::map<std::string, Share, std::less<>> shares;
  {
    const MutexLock lock(mutex_);
    shares.swap(shares_);
  }
  const auto end = std::chrono::steady_clock::now() + kLongestReturn;
  for (const auto& [name, share] : shares) {
    if (share.level == 0) continue;
    // The other shares are lost.
    if (!exchange(name, share.rate, share.level, 0, 0) || std::chrono::steady_clock::now() > end)
      return;
  }
}

void SharedRates::removeFullBuckets() {
  const Timestamp now = schedule_.now();
  const Result<void> removed = database_.writeUncached([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM cluster_rates WHERE full_at < ?", {now}));
    return {};
  });
  if (!removed) kLog.warning("buckets_not_removed", {{"reason", removed.error().message()}});
}

}  // namespace spindle::cluster
