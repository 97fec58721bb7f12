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

/// Who may have how many connections to which origin: the book-keeping of the client, without any
/// input or output. A slot is the right to hold one connection; whoever wants more than there are
/// waits in line. Everything happens on one thread.
class ConnectionPool {
 public:
  using Clock = std::chrono::steady_clock;

  class Connection {
   public:
    virtual ~Connection() = default;
    /// False when the peer has closed it, or said something that nobody asked for.
    virtual bool alive() const = 0;
  };
  using Accept = std::function<bool(const Connection&)>;

  /// What acquire() fills: a slot, and a connection to use with it when there was one.
  struct Ticket {
    bool granted = false;
    std::unique_ptr<Connection> connection;
    std::function<void()> on_granted;  ///< called when a ticket that had to wait gets its slot
  };

  ConnectionPool(std::size_t slots_per_origin,
                 std::size_t idle_per_origin,
                 Clock::duration idle_timeout)
      : slots_per_origin_(slots_per_origin),
        idle_per_origin_(idle_per_origin),
        idle_timeout_(idle_timeout) {}

  /// Grants a slot at once, or puts the ticket in line; it must then stay where it is until it is
  /// granted or has left. Of the idle connections the one used last that is alive and that
  /// `accept` likes comes with the slot.
  void acquire(const std::string& origin, const Accept& accept, Ticket& ticket);
  /// Gives up: leaves the line, or gives back what was granted.
  void leave(const std::string& origin, Ticket& ticket, Clock::time_point now);
  /// Gives a slot back, with a connection that can be used again or with none.
  void release(const std::string& origin,
               std::unique_ptr<Connection> connection,
               Clock::time_point now);

  /// Closes what has been idle for too long. @return when to come again, nothing when no
  /// connection is idle.
  std::optional<Clock::time_point> sweep(Clock::time_point now);
  /// Closes every idle connection and keeps none from now on.
  void close();

  std::size_t idleCount() const;

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    Clock::time_point since;
  };
  struct Origin {
    std::size_t slots = 0;  // in use, idle connections included
    std::deque<Idle> idle;  // the one used last at the back
    std::list<Ticket*> line;
  };
  using Origins = std::map<std::string, Origin, std::less<>>;

  void drop(Origins::iterator origin);

  const std::size_t slots_per_origin_;
  std::size_t idle_per_origin_;
  const Clock::duration idle_timeout_;
  Origins origins_;
};

}  // namespace spindle::http
