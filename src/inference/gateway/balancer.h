#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/time.h"

namespace spindle::inference {

/// The thresholds and back-off times of the circuit breaker of a replica.
struct CircuitOptions {
  std::int64_t failures_in_a_row = 5;
  double error_rate = 0.5;           ///< share of failed requests within the window
  std::int64_t least_requests = 20;  ///< minimum number of requests in the window for `error_rate`
  std::chrono::milliseconds window{30'000};
  std::chrono::milliseconds initial_backoff{1'000};  ///< doubles with every failed trial request
  std::chrono::milliseconds max_backoff{60'000};
  std::chrono::milliseconds rate_limit_backoff{
      1'000};  ///< after a 429 response without Retry-After
};

enum class CircuitState { kClosed, kOpen, kHalfOpen };
/// Returns `closed`, `open` or `half_open`.
std::string_view textOf(CircuitState state);

/// The kinds of failures that count against a replica.
enum class FailureKind {
  kConnect,  ///< the connection could not be established
  kTimeout,  ///< connected, but no data arrived in time
  kBroken,   ///< the connection broke, or the response was invalid
  kStatus,   ///< the replica responded with 5xx
};

/// A possible target of a request. The views must be valid only during the call.
struct Candidate {
  std::string_view upstream_id;
  std::string_view url;

  bool operator==(const Candidate&) const = default;
};

/// The state and counters of one replica.
struct ReplicaStatus {
  std::string upstream_id;
  std::string url;
  std::int64_t outstanding = 0;
  CircuitState circuit = CircuitState::kClosed;
  bool healthy = true;
  /// The end of the back-off; empty if the replica accepts requests now.
  std::optional<Timestamp> paused_until = {};
  std::uint64_t succeeded = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t rate_limited = 0;
  std::array<std::uint64_t, 4> failed = {};  ///< by FailureKind
};

/// Load balancer over replicas, with one circuit breaker per replica.
///
/// The upstream and the URL identify a replica; its state survives changes of the catalogue.
/// Thread-safe: every call takes one short lock. choose() allocates memory only for a new replica.
///
/// A circuit opens after a number of consecutive failures, or when too many of the requests within
/// a sliding window failed. After a back-off exactly one trial request passes. If it succeeds, the
/// circuit closes; if it fails, the back-off doubles.
class Balancer {
 private:
  struct Replica;

 public:
  /// One request to one replica, counted as outstanding until it ends. It ends with the first of
  /// the four result calls; destruction without a result abandons it. Must not outlive the
  /// balancer.
  class OutstandingRequest {
   public:
    OutstandingRequest(OutstandingRequest&& other) noexcept
        : balancer_(std::exchange(other.balancer_, nullptr)),
          replica_(other.replica_),
          index_(other.index_),
          trial_(other.trial_) {}
    OutstandingRequest& operator=(OutstandingRequest&& other) noexcept;
    ~OutstandingRequest() { abandoned(); }

    /// Returns the index of the chosen candidate.
    std::size_t index() const { return index_; }

    void succeeded();
    void failed(FailureKind kind);
    /// Reports a 429 response. The replica gets no requests for `retry_after` (at most five
    /// minutes); this does not count as a failure.
    void rateLimited(std::optional<std::chrono::milliseconds> retry_after);
    /// Reports that the client disconnected or the request was invalid. This does not affect the
    /// state of the replica.
    void abandoned();

   private:
    friend class Balancer;
    OutstandingRequest(Balancer& balancer, Replica& replica, std::size_t index, bool trial)
        : balancer_(&balancer), replica_(&replica), index_(index), trial_(trial) {}

    Balancer* balancer_;
    Replica* replica_;
    std::size_t index_;
    bool trial_;
  };

  /// The replicas that choose() may return.
  enum class ReplicaFilter {
    kHealthy,  ///< only replicas that pass the health check
    kAll,      ///< also unhealthy replicas: the last attempt, when no tier has a healthy one
  };

  /// `clock` must outlive the balancer.
  explicit Balancer(const Clock& clock, CircuitOptions options = {})
      : clock_(clock), options_(options) {}

  /// Chooses the replica with the fewest outstanding requests; ties are resolved round-robin.
  /// `tried` contains indexes of `tier` to skip. Returns nothing if every replica was tried, has an
  /// open circuit, backs off after a 429 response or (see ReplicaFilter) is unhealthy.
  std::optional<OutstandingRequest> choose(std::span<const Candidate> tier,
                                           std::span<const std::size_t> tried = {},
                                           ReplicaFilter among = ReplicaFilter::kHealthy);

  /// Returns the time until the first replica accepts requests again, for the Retry-After header
  /// after choose() returned nothing. Returns nothing if no replica has a known end of its
  /// back-off.
  std::optional<std::chrono::microseconds> waitFor(std::span<const Candidate> tier);

  /// Reports the result of a health check. A replica is unhealthy after two consecutive failures
  /// and healthy after one success.
  void probed(const Candidate& replica, bool alive);

  /// Returns the state of all replicas, sorted by upstream, then URL.
  std::vector<ReplicaStatus> snapshot() const;

 private:
  static constexpr std::size_t kSlices = 10;
  static constexpr std::int64_t kFailedProbesUntilUnhealthy = 2;

  /// One part of the sliding window.
  struct Slice {
    std::int64_t number = -1;  ///< time divided by the length of a slice
    std::int64_t requests = 0;
    std::int64_t failures = 0;
  };

  struct Replica {
    std::int64_t outstanding = 0;
    bool open = false;
    bool trial = false;         ///< the trial request of the half-open circuit is in progress
    Timestamp open_until = {};  ///< while open
    Timestamp busy_until = {};  ///< end of the back-off after a 429 response
    std::int64_t backoffs = 0;  ///< consecutive back-offs; each doubles the next one
    std::int64_t consecutive_failures = 0;  ///< consecutive failures
    std::int64_t failed_probes = 0;         ///< consecutive failed health checks
    std::array<Slice, kSlices> window = {};
    std::uint64_t succeeded = 0;
    std::uint64_t abandoned = 0;
    std::uint64_t rate_limited = 0;
    std::array<std::uint64_t, 4> failed = {};

    bool healthy() const { return failed_probes < kFailedProbesUntilUnhealthy; }
    bool ready(Timestamp now) const;
  };

  /// A candidate with texts of its own.
  struct Key {
    std::string upstream_id;
    std::string url;

    // NOLINTNEXTLINE(google-explicit-constructor): hashed and compared as a candidate
    operator Candidate() const { return {upstream_id, url}; }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Candidate& key) const {
      const std::hash<std::string_view> hash;
      return hash(key.upstream_id) * 31 + hash(key.url);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Candidate& a, const Candidate& b) const { return a == b; }
  };

  Replica& replicaOf(const Candidate& candidate) SPINDLE_REQUIRES(mutex_);
  void end(Replica& replica, bool trial) SPINDLE_REQUIRES(mutex_);
  void count(Replica& replica, bool failed, Timestamp now) SPINDLE_REQUIRES(mutex_);
  bool failsTooOften(const Replica& replica, Timestamp now) const SPINDLE_REQUIRES(mutex_);
  void open(Replica& replica, Timestamp now) SPINDLE_REQUIRES(mutex_);
  std::int64_t sliceAt(Timestamp now) const;

  const Clock& clock_;
  const CircuitOptions options_;
  mutable Mutex mutex_;
  /// Entries are never erased, because requests point to them. Its size is the number of replicas
  /// that the catalogue ever contained.
  std::unordered_map<Key, Replica, Hash, Equal> replicas_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t turn_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::inference
