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

#include "base/mutex.h"
#include "base/time.h"

namespace spindle::inference {

/// When a replica that fails is left alone, and for how long.
struct CircuitOptions {
  std::int64_t failures_in_a_row = 5;
  double error_rate = 0.5;           ///< of the requests within the window …
  std::int64_t least_requests = 20;  ///< … when there were at least so many
  std::chrono::milliseconds window{30'000};
  std::chrono::milliseconds first_pause{1'000};  ///< doubles with every trial that fails
  std::chrono::milliseconds longest_pause{60'000};
  std::chrono::milliseconds busy_pause{1'000};  ///< after a 429 that does not say how long
};

enum class CircuitState { kClosed, kOpen, kHalfOpen };
/// `closed`, `open`, `half_open`.
std::string_view textOf(CircuitState state);

/// What went wrong with a request that the replica is to blame for.
enum class FailureKind {
  kConnect,  ///< no connection came about
  kTimeout,  ///< connected, but silent for too long
  kBroken,   ///< the connection broke, or the answer was not one
  kStatus,   ///< it said so itself: 5xx
};

/// Somewhere a request can be sent. The texts are borrowed for the call.
struct Candidate {
  std::string_view upstream_id;
  std::string_view url;
};

/// How one replica stands.
struct ReplicaStatus {
  std::string upstream_id;
  std::string url;
  std::int64_t outstanding = 0;
  CircuitState circuit = CircuitState::kClosed;
  bool healthy = true;
  /// When it is asked again; empty when it can be asked now.
  std::optional<Timestamp> paused_until = {};
  std::uint64_t succeeded = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t rate_limited = 0;
  std::array<std::uint64_t, 4> failed = {};  ///< by FailureKind
};

/// Spreads requests over replicas, and leaves alone those that fail.
///
/// A replica is known by its upstream and URL; what is known of it outlasts changes of the
/// catalogue. Thread-safe; every call takes one short lock, and choosing allocates only for a
/// replica that is new.
///
/// A circuit opens after so many failures in a row, or when too many of the requests within a
/// sliding window failed. After a pause exactly one request is let through as a trial: when it
/// succeeds the circuit closes, when it fails the pause is twice as long.
class Balancer {
 private:
  struct Replica;

 public:
  /// The right to send one request to one replica; counts as outstanding until it ends. Ends once,
  /// with the first of the four calls; without any of them it is abandoned. Must not outlive the
  /// balancer.
  class Ticket {
   public:
    Ticket(Ticket&& other) noexcept
        : balancer_(std::exchange(other.balancer_, nullptr)),
          replica_(other.replica_),
          index_(other.index_),
          trial_(other.trial_) {}
    Ticket& operator=(Ticket&& other) noexcept;
    ~Ticket() { abandoned(); }

    /// Which of the candidates it is for.
    std::size_t index() const { return index_; }

    void succeeded();
    void failed(FailureKind kind);
    /// It answered 429: left alone for as long as it asked for (at most five minutes), without
    /// counting as broken.
    void rateLimited(std::optional<std::chrono::milliseconds> retry_after);
    /// The client left, or the request was at fault: says nothing about the replica.
    void abandoned();

   private:
    friend class Balancer;
    Ticket(Balancer& balancer, Replica& replica, std::size_t index, bool trial)
        : balancer_(&balancer), replica_(&replica), index_(index), trial_(trial) {}

    Balancer* balancer_;
    Replica* replica_;
    std::size_t index_;
    bool trial_;
  };

  /// Which replicas may be chosen.
  enum class Among {
    kHealthy,  ///< those that the health check does not call dead
    kAll,      ///< those too: a last attempt, when no tier has another
  };

  /// `clock` must outlive the balancer.
  explicit Balancer(const Clock& clock, CircuitOptions options = {})
      : clock_(clock), options_(options) {}

  /// The one with the fewest requests outstanding, ties by turns. `tried` are positions in `tier`
  /// that are left out. Nothing when all are tried, open, paused or (see Among) dead.
  std::optional<Ticket> choose(std::span<const Candidate> tier,
                               std::span<const std::size_t> tried = {},
                               Among among = Among::kHealthy);

  /// How long until one of them can be asked again: for the Retry-After of an answer when choose()
  /// gave nothing. Nothing when none of them is waiting for a moment that is known.
  std::optional<std::chrono::microseconds> waitFor(std::span<const Candidate> tier);

  /// What the health check saw: dead after two failures in a row, alive after one answer.
  void probed(const Candidate& replica, bool alive);

  /// Sorted by upstream, then URL.
  std::vector<ReplicaStatus> snapshot() const;

 private:
  static constexpr std::size_t kSlices = 10;
  static constexpr std::int64_t kProbesToDie = 2;

  /// One part of the sliding window.
  struct Slice {
    std::int64_t number = -1;  ///< time divided by the length of a slice
    std::int64_t requests = 0;
    std::int64_t failures = 0;
  };

  struct Replica {
    std::int64_t outstanding = 0;
    bool open = false;
    bool trial = false;         ///< the one request of a half-open circuit is under way
    Timestamp open_until = {};  ///< while open
    Timestamp busy_until = {};  ///< it asked to be left alone
    std::int64_t pauses = 0;    ///< in a row, each twice as long
    std::int64_t in_a_row = 0;  ///< failures
    std::int64_t silences = 0;  ///< health checks without an answer, in a row
    std::array<Slice, kSlices> window = {};
    std::uint64_t succeeded = 0;
    std::uint64_t abandoned = 0;
    std::uint64_t rate_limited = 0;
    std::array<std::uint64_t, 4> failed = {};

    bool healthy() const { return silences < kProbesToDie; }
    bool ready(Timestamp now) const;
  };

  struct Key {
    std::string upstream_id;
    std::string url;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Candidate& key) const {
      const std::hash<std::string_view> hash;
      return hash(key.upstream_id) * 31 + hash(key.url);
    }
    std::size_t operator()(const Key& key) const {
      return (*this)(Candidate{key.upstream_id, key.url});
    }
  };
  struct Equal {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return a.upstream_id == b.upstream_id && a.url == b.url;
    }
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
  /// Never erased: as many as there ever were in the catalogue. Tickets point into it.
  std::unordered_map<Key, Replica, Hash, Equal> replicas_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t turn_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::inference
