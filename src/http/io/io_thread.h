#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "http/io/request_metrics.h"
#include "http/message/response_head.h"

namespace boost::asio {
class io_context;
}

namespace spindle::http {

/// An I/O thread (Asio event loop) and the connections that are pinned to it. Only complete(),
/// post(), start() and stop() may be called from other threads.
class IoThread {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A notification from another thread to this one. The owner keeps it alive, and does not pass it
  /// to complete() again, until completed() is entered.
  class Completion {
   public:
    virtual ~Completion() = default;
    virtual void completed() = 0;

   private:
    friend class IoThread;
    Completion* next_ = nullptr;
  };

  /// The interface of a connection to its I/O thread. The thread checks deadlines a few times per
  /// second, which is much cheaper than a timer for each step of each request.
  class Connection {
   public:
    virtual ~Connection() = default;
    virtual void expired() = 0;
    /// Called when the server starts to drain.
    virtual void drain() = 0;
    /// Closes the connection immediately. @return true if this aborted a request.
    virtual bool cut() = 0;

   protected:
    Time deadline_ = Time::max();

   private:
    friend class IoThread;
    Connection* before_ = nullptr;
    Connection* after_ = nullptr;
  };

  /// @param on_connections_released called on the thread after many connections have closed, when
  /// no more close
  IoThread(MetricRegistry& metrics,
           std::chrono::milliseconds sweep_every,
           std::function<void()> on_connections_released);
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  void start();
  /// Ends the thread when no work is left, and joins it.
  void stop();

  /// Runs a function on the thread. May be called from any thread.
  void post(std::function<void()> what);
  /// Calls completed() on the thread. May be called from any thread; does not allocate per call.
  void complete(Completion& completion);

  boost::asio::io_context& context();
  /// Returns shared ownership, for handles that may outlive the thread.
  std::shared_ptr<boost::asio::io_context> sharedContext();
  void add(Connection& connection);
  void remove(Connection& connection);
  /// Calls drain() on every connection, and checks deadlines more often from now on.
  void drainAll();
  /// Calls cut() on every connection. @return the number of aborted requests.
  std::size_t cutAll();

  RequestMetrics& metrics() { return metrics_; }
  DateText& date() { return date_; }

 private:
  struct Loop;
  void sweep();
  void runCompletions();

  RequestMetrics metrics_;
  DateText date_;
  Connection* first_ = nullptr;
  Connection* next_to_visit_ = nullptr;  ///< during iteration: a visit may remove a connection
  std::size_t removed_ = 0;  ///< connections since the last call of on_connections_released_
  std::size_t removed_at_last_sweep_ = 0;  ///< value of `removed_` at the last sweep
  std::function<void()> on_connections_released_;
  std::atomic<Completion*> completions_{nullptr};
  std::unique_ptr<Loop> loop_;
};

}  // namespace spindle::http
