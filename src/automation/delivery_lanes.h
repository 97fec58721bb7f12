#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace spindle::automation {

/// How much of its work an endpoint may be given now.
struct LaneQuota {
  std::string webhook_id;
  int quota = 0;           ///< new requests at most
  int in_flight = 0;       ///< requests under way
  bool throttled = false;  ///< the endpoint asked for less
};

/// Who may send when: at most so many requests in all, shared evenly by the endpoints that have
/// work. How many one endpoint bears is known to whoever takes the work. Used by one thread.
class DeliveryLanes {
 public:
  explicit DeliveryLanes(int total) : total_(total) {}

  /// Something of the endpoint is due then, or earlier; nothing when there is no such thing.
  void due(const std::string& webhook_id, std::optional<Timestamp> when);
  /// As due(), unless something earlier is known.
  void dueAtLatest(const std::string& webhook_id, Timestamp when);
  void started(const std::string& webhook_id);
  void ended(const std::string& webhook_id);
  /// The endpoint is to be given half of what it may have.
  void throttle(const std::string& webhook_id, Timestamp until);
  /// The endpoint bears no more: whatever is due has to wait for an end.
  void full(const std::string& webhook_id);

  /// A share for each endpoint that has work at this time, `fresh` ones included. Whoever waited
  /// longest comes first.
  std::vector<LaneQuota> plan(Timestamp now, const std::vector<std::string>& fresh) const;
  /// When there will be something to do that can be done.
  std::optional<Timestamp> nextDue() const;
  /// Whether something that is due waits for the end of a request to this endpoint.
  bool isAwaited(const std::string& webhook_id, Timestamp now) const;
  int inFlight() const { return in_flight_; }

 private:
  struct Lane {
    std::optional<Timestamp> due;
    int in_flight = 0;
    bool full = false;
    std::optional<Timestamp> throttled_until;
    std::uint64_t served = 0;  ///< when it last got something, as a count
  };

  const int total_;
  int in_flight_ = 0;
  std::uint64_t count_ = 0;
  std::map<std::string, Lane, std::less<>> lanes_;
};

}  // namespace spindle::automation
