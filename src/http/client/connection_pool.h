#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spindle::http {

/// Limits and reuses the connections of a client per origin. Does no I/O. A slot is the right to
/// use one connection; requests beyond the limit wait in a queue. Not thread-safe.
class ConnectionPool {
 public:
  using Clock = std::chrono::steady_clock;

  class Connection {
   public:
    virtual ~Connection() = default;
    /// Returns false if the peer has closed the connection or has sent unexpected bytes.
    virtual bool alive() const = 0;
  };
  using Accept = std::function<bool(const Connection&)>;

  /// A request for a slot. acquire() grants the slot, with an idle connection if one is available.
  struct SlotRequest {
    bool granted = false;
    std::unique_ptr<Connection> connection;
    std::function<void()> on_granted;  ///< called if the slot is granted after waiting
  };

  ConnectionPool(std::size_t slots_per_origin,
                 std::size_t idle_per_origin,
                 Clock::duration idle_timeout)
      : slots_per_origin_(slots_per_origin),
        idle_per_origin_(idle_per_origin),
        idle_timeout_(idle_timeout) {}

  /// Grants a slot immediately or queues the ticket. A queued ticket must keep its address until it
  /// is granted or leave() is called. The slot includes the most recently used idle connection that
  /// is alive and for which `accept` returns true.
  void acquire(const std::string& origin, const Accept& accept, SlotRequest& slot_request);
  /// Removes the ticket from the queue, or releases its slot if it was granted.
  void detach(const std::string& origin, SlotRequest& slot_request, Clock::time_point now);
  /// Releases a slot, with a reusable connection or null.
  void release(const std::string& origin,
               std::unique_ptr<Connection> connection,
               Clock::time_point now);

  /// Closes connections that exceed the idle timeout. @return the time of the next sweep, or
  /// nothing if no connection is idle.
  std::optional<Clock::time_point> sweep(Clock::time_point now);
  /// Closes all idle connections and keeps none from now on.
  void close();

  std::size_t idleCount() const;

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    Clock::time_point since;
  };
  struct Origin {
    std::size_t slots = 0;  // in use, including idle connections
    std::deque<Idle> idle;  // most recently used at the back
    std::list<SlotRequest*> waiters;
  };
  using Origins = std::map<std::string, Origin, std::less<>>;

  void drop(Origins::iterator origin);

  const std::size_t slots_per_origin_;
  std::size_t idle_per_origin_;
  const Clock::duration idle_timeout_;
  Origins origins_;
};

}  // namespace spindle::http
