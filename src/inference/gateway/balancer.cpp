#include "inference/gateway/balancer.h"

#include <algorithm>
#include <tuple>

#include "inference/catalogue/enum_texts.h"

namespace spindle::inference {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds kLongestBusy = std::chrono::minutes(5);

constexpr EnumTexts<CircuitState, 3> kCircuitStates = {{{CircuitState::kClosed, "closed"},
                                                        {CircuitState::kOpen, "open"},
                                                        {CircuitState::kHalfOpen, "half_open"}}};

bool isAmong(std::span<const std::size_t> tried, std::size_t index) {
  return std::find(tried.begin(), tried.end(), index) != tried.end();
}

}  // namespace

std::string_view textOf(CircuitState state) { return lookUp(kCircuitStates, state, ""); }

Balancer::OutstandingRequest& Balancer::OutstandingRequest::operator=(
    OutstandingRequest&& other) noexcept {
  if (this == &other) return *this;
  abandoned();
  balancer_ = std::exchange(other.balancer_, nullptr);
  replica_ = other.replica_;
  index_ = other.index_;
  trial_ = other.trial_;
  return *this;
}

void Balancer::OutstandingRequest::succeeded() {
  if (balancer_ == nullptr) return;
  Balancer& balancer = *std::exchange(balancer_, nullptr);
  const MutexLock lock(balancer.mutex_);
  balancer.end(*replica_, trial_);
  replica_->succeeded += 1;
  replica_->consecutive_failures = 0;
  if (trial_) {
    replica_->open = false;
    replica_->backoffs = 0;
    replica_->window = {};
  }
  balancer.count(*replica_, false, balancer.clock_.now());
}

void Balancer::OutstandingRequest::failed(FailureKind kind) {
  if (balancer_ == nullptr) return;
  Balancer& balancer = *std::exchange(balancer_, nullptr);
  const MutexLock lock(balancer.mutex_);
  const Timestamp now = balancer.clock_.now();
  balancer.end(*replica_, trial_);
  replica_->failed[static_cast<std::size_t>(kind)] += 1;
  replica_->consecutive_failures += 1;
  balancer.count(*replica_, true, now);
  // Requests that were in progress when the circuit opened may fail too; only the trial request
  // extends the back-off.
  if (replica_->open && !trial_) return;
  const bool broken = replica_->consecutive_failures >= balancer.options_.failures_in_a_row ||
                      balancer.failsTooOften(*replica_, now);
  if (trial_ || broken) balancer.open(*replica_, now);
}

void Balancer::OutstandingRequest::rateLimited(std::optional<milliseconds> retry_after) {
  if (balancer_ == nullptr) return;
  Balancer& balancer = *std::exchange(balancer_, nullptr);
  const MutexLock lock(balancer.mutex_);
  balancer.end(*replica_, trial_);
  replica_->rate_limited += 1;
  const milliseconds pause = retry_after.value_or(balancer.options_.rate_limit_backoff);
  const Timestamp until = balancer.clock_.now() + std::clamp(pause, milliseconds(0), kLongestBusy);
  replica_->busy_until = std::max(replica_->busy_until, until);
}

void Balancer::OutstandingRequest::abandoned() {
  if (balancer_ == nullptr) return;
  Balancer& balancer = *std::exchange(balancer_, nullptr);
  const MutexLock lock(balancer.mutex_);
  balancer.end(*replica_, trial_);
  replica_->abandoned += 1;
}

bool Balancer::Replica::ready(Timestamp now) const {
  if (busy_until > now) return false;
  return !open || (!trial && open_until <= now);
}

std::optional<Balancer::OutstandingRequest> Balancer::choose(std::span<const Candidate> tier,
                                                             std::span<const std::size_t> tried,
                                                             ReplicaFilter among) {
  if (tier.empty()) return std::nullopt;
  const MutexLock lock(mutex_);
  const Timestamp now = clock_.now();
  Replica* best = nullptr;
  std::size_t best_index = 0;
  const std::size_t first = turn_++ % tier.size();
  for (std::size_t step = 0; step < tier.size(); ++step) {
    const std::size_t index = (first + step) % tier.size();
    if (isAmong(tried, index)) continue;
    Replica& replica = replicaOf(tier[index]);
    if (!replica.ready(now) || (among == ReplicaFilter::kHealthy && !replica.healthy())) continue;
    if (best != nullptr && replica.outstanding >= best->outstanding) continue;
    best = &replica;
    best_index = index;
  }
  if (best == nullptr) return std::nullopt;
  best->outstanding += 1;
  best->trial = best->open;
  return OutstandingRequest(*this, *best, best_index, best->open);
}

std::optional<microseconds> Balancer::waitFor(std::span<const Candidate> tier) {
  const MutexLock lock(mutex_);
  const Timestamp now = clock_.now();
  std::optional<microseconds> shortest;
  for (const Candidate& candidate : tier) {
    const Replica& replica = replicaOf(candidate);
    const Timestamp ready_at =
        std::max(replica.busy_until, replica.open ? replica.open_until : Timestamp());
    if (ready_at <= now) continue;
    shortest = std::min(shortest.value_or(microseconds::max()), microseconds(ready_at - now));
  }
  return shortest;
}

void Balancer::probed(const Candidate& replica, bool alive) {
  const MutexLock lock(mutex_);
  Replica& known = replicaOf(replica);
  known.failed_probes = alive ? 0 : known.failed_probes + 1;
}

std::vector<ReplicaStatus> Balancer::snapshot() const {
  std::vector<ReplicaStatus> all;
  {
    const MutexLock lock(mutex_);
    const Timestamp now = clock_.now();
    all.reserve(replicas_.size());
    for (const auto& [key, replica] : replicas_) {
      ReplicaStatus status{.upstream_id = key.upstream_id, .url = key.url};
      status.outstanding = replica.outstanding;
      const bool paused = replica.open && replica.open_until > now;
      if (replica.open) status.circuit = paused ? CircuitState::kOpen : CircuitState::kHalfOpen;
      status.healthy = replica.healthy();
      const Timestamp until =
          std::max(replica.busy_until, replica.open ? replica.open_until : Timestamp());
      if (until > now) status.paused_until = until;
      status.succeeded = replica.succeeded;
      status.abandoned = replica.abandoned;
      status.rate_limited = replica.rate_limited;
      status.failed = replica.failed;
      all.push_back(std::move(status));
    }
  }
  std::sort(all.begin(), all.end(), [](const ReplicaStatus& a, const ReplicaStatus& b) {
    return std::tie(a.upstream_id, a.url) < std::tie(b.upstream_id, b.url);
  });
  return all;
}

Balancer::Replica& Balancer::replicaOf(const Candidate& candidate) {
  const auto found = replicas_.find(candidate);
  if (found != replicas_.end()) return found->second;
  Key key{std::string(candidate.upstream_id), std::string(candidate.url)};
  return replicas_.try_emplace(std::move(key)).first->second;
}

void Balancer::end(Replica& replica, bool trial) {
  replica.outstanding -= 1;
  if (trial) replica.trial = false;
}

std::int64_t Balancer::sliceAt(Timestamp now) const {
  const microseconds slice =
      std::max(microseconds(1), microseconds(options_.window) / std::int64_t{kSlices});
  return now.time_since_epoch() / slice;
}

void Balancer::count(Replica& replica, bool failed, Timestamp now) {
  const std::int64_t number = sliceAt(now);
  Slice& slice = replica.window[static_cast<std::size_t>(number) % kSlices];
  if (slice.number != number) slice = {.number = number};
  slice.requests += 1;
  slice.failures += failed ? 1 : 0;
}

bool Balancer::failsTooOften(const Replica& replica, Timestamp now) const {
  const std::int64_t newest = sliceAt(now);
  std::int64_t requests = 0;
  std::int64_t failures = 0;
  for (const Slice& slice : replica.window) {
    if (slice.number <= newest - static_cast<std::int64_t>(kSlices)) continue;
    requests += slice.requests;
    failures += slice.failures;
  }
  return requests >= options_.least_requests &&
         static_cast<double>(failures) > options_.error_rate * static_cast<double>(requests);
}

void Balancer::open(Replica& replica, Timestamp now) {
  milliseconds pause = options_.initial_backoff;
  for (std::int64_t i = 0; i < replica.backoffs && pause < options_.max_backoff; ++i) pause *= 2;
  replica.open = true;
  replica.open_until = now + std::min(pause, options_.max_backoff);
  replica.backoffs += 1;
  replica.consecutive_failures = 0;
}

}  // namespace spindle::inference
