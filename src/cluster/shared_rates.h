#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::cluster {

/// The size and the refill rate of a token bucket.
struct Rate {
  double capacity = 0;
  double per_minute = 0;

  /// Returns a bucket that refills completely within a minute.
  static Rate perMinute(std::int64_t tokens) {
    return {static_cast<double>(tokens), static_cast<double>(tokens)};
  }
};

/// Token buckets that all nodes of a deployment share. A bucket is a row of the database. A node
/// takes the tokens of about kShareTime from it at a time, and gives out its share from memory: in
/// the steady state a request needs no database access. The nodes together never give out more
/// tokens than the bucket had. A token in the share of one node is missing at the others until that
/// node returns what it has not used for kShareTime. Shares of a node that dies are lost.
/// Thread-safe.
class SharedRates {
 public:
  static constexpr std::chrono::seconds kShareTime{5};

  /// Both must outlive this object.
  SharedRates(storage::Database& database, const Clock& schedule)
      : database_(database), schedule_(schedule) {}

  struct Outcome {
    bool allowed = false;
    double remaining = 0;     ///< tokens that are left, as far as this node knows
    double wait_seconds = 0;  ///< if refused: until the bucket has the tokens
  };
  /// Takes `amount` tokens. An amount above the capacity is allowed if the bucket is full; the
  /// bucket then becomes negative. Blocks on the database when the share is used up.
  /// @return kUnavailable, also on threads that must not block (base/core/no_blocking.h).
  Result<Outcome> take(std::string_view name, const Rate& rate, double amount);

  /// Adds tokens to the share; a negative amount takes more than was reserved. Never blocks.
  void give(std::string_view name, const Rate& rate, double amount);

  /// Returns unused shares, refills those in use, and deletes full buckets now and then. Call it
  /// about once a second, from one thread. Blocks.
  void refresh();
  /// Returns all shares. Blocks.
  void returnAll();

 private:
  struct Share {
    Rate rate;
    double level = 0;         ///< tokens of this node; negative: it owes them
    double shared_level = 0;  ///< of the bucket at the last exchange
    Timestamp used_at = {};
    // The last refusal: an equal or larger amount is refused until then without an access.
    Timestamp refused_until = {};
    double refused_amount = 0;
  };
  struct Grant {
    double tokens = 0;
    double level = 0;  ///< of the bucket afterwards
  };

  /// Returns the tokens that a node takes at a time.
  static double sizeOfShare(const Rate& rate);
  Share& shareOf(std::string_view name, const Rate& rate) SPINDLE_REQUIRES(mutex_);
  /// Adds `give` to the bucket, and takes `want` tokens or what it has, but nothing below `need`.
  Result<Grant> exchange(
      const std::string& name, const Rate& rate, double give, double need, double want);
  /// Returns the level of a share to its bucket, and takes `want` tokens.
  void refill(const std::string& name, const Rate& rate, double give, double want);
  void removeFullBuckets();

  storage::Database& database_;
  const Clock& schedule_;
  Timestamp next_removal_ = {};  ///< used by the thread of refresh()

  Mutex mutex_;
  std::map<std::string, Share, std::less<>> shares_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::cluster
