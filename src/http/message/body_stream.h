#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace spindle::http {

/// A response body that becomes available over time. Exactly one session reads it.
///
/// Two kinds exist. A worker thread calls a PulledBody for its next chunk (rows of a query); no
/// thread is occupied in between. A producer pushes data into a PushedBody (server-sent events, a
/// relayed completion), which wakes the session.
class BodyStream {
 public:
  virtual ~BodyStream() = default;

  enum class State {
    kChunk,  ///< `piece` contains bytes to send
    kWait,   ///< no data yet: the callback of onReady() will be called
    kEnd,    ///< the body is complete
    kBroken  ///< the producer failed: the server aborts the connection, so that the client notices
  };

  /// Returns the next bytes in `piece`. Called by one thread at a time.
  virtual State next(std::string& chunk) = 0;
  /// Returns true if next() may block and therefore must run on a worker.
  virtual bool blocks() const = 0;
  /// Sets the callback that announces new data after kWait. The stream calls it from any thread.
  /// The callback never blocks, never calls the stream, and may be called after the session has
  /// ended.
  virtual void onReady(std::function<void()> wake) = 0;
  /// Called when the client has disconnected or the server stops. No next() is running or follows.
  virtual void cancel() = 0;
};

/// Calls a function for each chunk until it returns kEnd or kBroken. The function may block, so it
/// never returns kWait.
class PulledBody final : public BodyStream {
 public:
  using Pull = std::function<State(std::string& chunk)>;
  explicit PulledBody(Pull pull) : pull_(std::move(pull)) {}

  State next(std::string& chunk) override;
  bool blocks() const override { return true; }
  void onReady(std::function<void()> /*wake*/) override {}
  void cancel() override {}

 private:
  Pull pull_;
};

/// A bounded buffer between a producer on any thread and the session. Thread-safe.
class PushedBody final : public BodyStream {
 public:
  explicit PushedBody(std::size_t capacity_bytes);
  ~PushedBody() override;

  /// Adds bytes without blocking. Returns false and adds nothing if the buffer is full; retry after
  /// the onSpace() callback. An empty buffer accepts a chunk that is larger than its capacity.
  bool tryPush(std::string_view bytes);
  /// Adds bytes; blocks until space is available. Returns false if the client has disconnected.
  /// Must not run on I/O threads.
  bool push(std::string_view bytes);
  void finish();
  /// Ends the stream with a failure that the client can distinguish from the regular end.
  void fail();
  /// Sets the callback for free space after a full buffer, and for a client that has disconnected.
  void onSpace(std::function<void()> wake);
  bool cancelled() const;

  State next(std::string& chunk) override;
  bool blocks() const override { return false; }
  void onReady(std::function<void()> wake) override;
  void cancel() override;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace spindle::http
