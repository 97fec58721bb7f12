#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "http/request_metrics.h"
#include "http/response_head.h"

namespace boost::asio {
class io_context;
}

namespace spindle::http {

/// One thread that waits for sockets, and the connections pinned to it. Everything but complete(),
/// post() and start()/stop() belongs to the thread itself.
class IoThread {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Something that ended on another thread and is to be told on this one. Whoever owns it keeps
  /// it alive, and does not hand it over again, until completed() is entered.
  class Completion {
   public:
    virtual ~Completion() = default;
    virtual void completed() = 0;

   private:
    friend class IoThread;
    Completion* next_ = nullptr;
  };

  /// A connection as the thread sees it. Deadlines are looked at a few times a second: that is
  /// much cheaper than a timer for each step of each request.
  class Connection {
   public:
    virtual ~Connection() = default;
    virtual void expired() = 0;
    /// The server is stopping.
    virtual void drain() = 0;
    /// Ends at once. @return true when that cut a request short.
    virtual bool cut() = 0;

   protected:
    Time deadline_ = Time::max();

   private:
    friend class IoThread;
    Connection* before_ = nullptr;
    Connection* after_ = nullptr;
  };

  /// @param on_relief called on the thread when many connections have gone and no more are going
  IoThread(MetricRegistry& metrics,
           std::chrono::milliseconds sweep_every,
           std::function<void()> on_relief);
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  void start();
  /// Lets the thread end when nothing is left to do, and waits for it.
  void stop();

  /// Runs a function on the thread. Any thread.
  void post(std::function<void()> what);
  /// Has completed() called on the thread. Any thread; allocates nothing per call.
  void complete(Completion& completion);

  boost::asio::io_context& context();
  /// For handles that may outlive the thread.
  std::shared_ptr<boost::asio::io_context> sharedContext();
  void add(Connection& connection);
  void remove(Connection& connection);
  /// Tells every connection, and looks at deadlines more often from now on.
  void drainAll();
  /// @return how many requests were cut short.
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
  Connection* next_to_visit_ = nullptr;  ///< while the list is walked: a visit may remove
  std::size_t removed_ = 0;              ///< connections since the last relief
  std::size_t removed_by_then_ = 0;      ///< as `removed_`, at the last sweep
  std::function<void()> on_relief_;
  std::atomic<Completion*> completions_{nullptr};
  std::unique_ptr<Loop> loop_;
};

}  // namespace spindle::http
