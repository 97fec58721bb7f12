#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace spindle::http {

/// The body of a response that is not known at once. Exactly one session drains it.
///
/// Two kinds: a PulledBody is asked for its next piece on a worker thread (rows of a query), and
/// holds no thread in between. A PushedBody is filled by whoever has data (server-sent events, a
/// relayed completion) and wakes the session.
class BodyStream {
 public:
  virtual ~BodyStream() = default;

  enum class State {
    kPiece,  ///< `piece` holds bytes to send
    kWait,   ///< nothing yet: the wake-up given to onReady() will be called
    kEnd,    ///< all sent
    kBroken  ///< the producer failed: the connection is cut, so that the client notices
  };

  /// Takes the next bytes. Called by one thread at a time.
  virtual State next(std::string& piece) = 0;
  /// True when next() may block and therefore must run on a worker.
  virtual bool blocks() const = 0;
  /// Sets what to call, from any thread, when next() is worth asking again after kWait. The
  /// wake-up never blocks, never calls back, and may be called after the session is gone.
  virtual void onReady(std::function<void()> wake) = 0;
  /// The client went away, or the server stops: no more calls of next() will come, and none is
  /// running.
  virtual void cancel() = 0;
};

/// Asks a function for the next piece, until it says kEnd or kBroken. The function may block, so
/// it never says kWait.
class PulledBody final : public BodyStream {
 public:
  using Pull = std::function<State(std::string& piece)>;
  explicit PulledBody(Pull pull) : pull_(std::move(pull)) {}

  State next(std::string& piece) override;
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

  /// Adds bytes without waiting. False when the buffer is full: nothing was added; try again when
  /// onSpace() says so. A piece larger than the whole buffer is taken when the buffer is empty.
  bool tryPush(std::string_view bytes);
  /// Adds bytes, waiting for space. False when the client is gone. Not for I/O threads.
  bool push(std::string_view bytes);
  void finish();
  /// Ends the stream in a way that the client can tell from a good end.
  void fail();
  /// Sets what to call when space is free again after a full buffer, or the client went away.
  void onSpace(std::function<void()> wake);
  bool cancelled() const;

  State next(std::string& piece) override;
  bool blocks() const override { return false; }
  void onReady(std::function<void()> wake) override;
  void cancel() override;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace spindle::http
