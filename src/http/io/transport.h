#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace spindle::http {

/// A connected byte stream, plain or TLS, for a session. All calls and all events run on the I/O
/// thread to which it is pinned. Events never run inside a call.
class Transport {
 public:
  enum class Outcome {
    kOk,
    kEnd,        ///< the peer has closed its side
    kCancelled,  ///< by cancel() or close()
    kFailed,
  };

  class Events {
   public:
    virtual ~Events() = default;
    virtual void onRead(Outcome outcome, std::size_t bytes) = 0;
    virtual void onWritten(Outcome outcome, std::size_t bytes) = 0;
    /// Called when the handshake or the shutdown has completed.
    virtual void onControl(Outcome outcome) = 0;
  };

  /// Buffers to send in order; unused entries are empty.
  using Buffers = std::array<std::string_view, 3>;

  virtual ~Transport() = default;

  virtual bool secure() const = 0;
  /// Every start… function keeps `events` alive until its event. At most one operation of each kind
  /// may run; only reads and writes may overlap.
  virtual void startHandshake(std::shared_ptr<Events> events) = 0;
  virtual void startRead(std::shared_ptr<Events> events, char* data, std::size_t size) = 0;
  /// Sends at least one byte.
  virtual void startWrite(std::shared_ptr<Events> events, const Buffers& buffers) = 0;
  /// Closes the sending side: the peer sees the end of the stream. Later reads return raw bytes
  /// that must be discarded.
  virtual void startShutdown(std::shared_ptr<Events> events) = 0;

  /// Sends without blocking and returns the number of sent bytes, possibly zero. The next
  /// startWrite() reports errors.
  virtual std::size_t writeNow(const Buffers& buffers) = 0;
  /// Returns true if received bytes are available for a read.
  virtual bool readable() const = 0;

  /// Cancels running operations; their events are still delivered.
  virtual void cancel() = 0;
  virtual void close() = 0;
  /// Closes with a reset, which the peer can distinguish from a regular end.
  virtual void abort() = 0;
};

}  // namespace spindle::http
