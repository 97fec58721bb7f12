#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace spindle::http {

/// A connected byte stream, plain or TLS, as a session sees it. All calls come from the one I/O
/// thread it is pinned to, and so do all events, which never come from inside a call.
class Transport {
 public:
  enum class Outcome {
    kOk,
    kEnd,        ///< the peer will send no more
    kCancelled,  ///< by cancel() or close()
    kFailed,
  };

  class Events {
   public:
    virtual ~Events() = default;
    virtual void onRead(Outcome outcome, std::size_t bytes) = 0;
    virtual void onWritten(Outcome outcome, std::size_t bytes) = 0;
    /// The handshake or the shutdown is done.
    virtual void onControl(Outcome outcome) = 0;
  };

  /// Bytes to send one after the other; unused entries are empty.
  using Pieces = std::array<std::string_view, 3>;

  virtual ~Transport() = default;

  virtual bool secure() const = 0;
  /// Each start… keeps `events` alive until its event has come. At most one of each kind is under
  /// way; none but reads and writes overlap.
  virtual void startHandshake(std::shared_ptr<Events> events) = 0;
  virtual void startRead(std::shared_ptr<Events> events, char* data, std::size_t size) = 0;
  /// Sends some of the bytes, at least one.
  virtual void startWrite(std::shared_ptr<Events> events, const Pieces& pieces) = 0;
  /// Says goodbye: the peer sees the end of the stream. Reads afterwards give raw bytes, good only
  /// for throwing away.
  virtual void startShutdown(std::shared_ptr<Events> events) = 0;

  /// Sends what can be sent at once: the number of bytes, possibly none. Errors show at the next
  /// startWrite().
  virtual std::size_t writeNow(const Pieces& pieces) = 0;
  /// True when bytes have arrived that no read has taken.
  virtual bool readable() const = 0;

  /// Ends what is under way; its events still come.
  virtual void cancel() = 0;
  virtual void close() = 0;
  /// Closes in a way that the peer cannot take for a good end.
  virtual void abort() = 0;
};

}  // namespace spindle::http
