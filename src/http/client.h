#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace spindle::http {

/// Asked for every address right before connecting, after name resolution, so that a name that
/// resolves to something else the second time gains nothing. Returns an error to refuse.
/// `address` is numeric text, IPv4 or IPv6; IPv4 in IPv6 clothes is shown as IPv4. A connection out
/// of the pool is asked for too, and a Unix socket, which has no address, is refused wherever there
/// is a filter. Called on the client's I/O thread: must not block.
using AddressFilter = std::function<Result<void>(std::string_view address, std::uint16_t port)>;

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds idle_timeout{30000};  ///< a pooled connection that nobody uses
  std::size_t connections_per_origin = 32;        ///< more requests wait for one to be free
  std::size_t idle_connections_per_origin = 8;
  std::string ca_file;  ///< PEM bundle to trust instead of the system's
  /// Asks for the numeric addresses behind a name, on a thread that may block; empty: the system.
  std::function<std::vector<std::string>(const std::string& host)> look_up = {};
};

/// A body that is read while it is sent, so that it need not fit in memory.
struct SourcedBody {
  std::uint64_t size = 0;
  /// Up to `most` bytes from `offset` on, at least one. Called on the client's I/O thread: it may
  /// read a file, but not wait for anybody. After an error nothing more is sent.
  std::function<Result<std::string>(std::uint64_t offset, std::size_t most)> read;
};

/// A request to send. `url` is absolute (http, https, or `unix:/path/to.sock:/target`).
///
/// Framing and connection headers (Content-Length, Transfer-Encoding, Connection, …) are the
/// client's own: those given here are left out, as are those of the answer. Without an
/// Accept-Encoding here, a whole answer may come compressed and is decoded; a stream comes as is.
/// An empty Accept-Encoding is not sent at all.
struct ClientRequest {
  Method method = Method::kGet;
  std::string url;
  Headers headers;
  std::string body;
  SourcedBody sourced_body = {};             ///< in place of `body` when it has a reader
  std::chrono::milliseconds timeout{30000};  ///< for the whole exchange; of a stream: until the
                                             ///< head; of a sourced body: behind it
  std::chrono::milliseconds connect_timeout{0};           ///< 0: as the client's options say
  std::chrono::milliseconds stream_first_timeout{0};      ///< head to first piece; 0: as idle
  std::chrono::milliseconds stream_idle_timeout{120000};  ///< between two pieces of a stream
  std::chrono::milliseconds stream_timeout{0};            ///< for a whole stream; 0: none
  std::size_t response_limit = 64UL * 1024 * 1024;        ///< bytes of a whole (not streamed) body
  AddressFilter filter;                                   ///< none: every address is allowed
};

/// Receives a streamed answer, on the client's I/O thread: nothing here may block.
struct StreamHandler {
  /// The status and headers, before the body.
  std::function<void(const Response& head)> on_head;
  /// Some bytes of the body. Return false to pause: no more is read until resume() is called. The
  /// bytes count as taken either way.
  std::function<bool(std::string_view bytes)> on_bytes;
  /// Exactly once, at the end: success, or why it broke off.
  std::function<void(Result<void> outcome)> on_end;
};

/// Handle of a streamed exchange. Thread-safe; may be dropped at any time without effect.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void resume() = 0;
  /// Cuts the exchange; on_end comes with kUnavailable unless it already came. No other callback
  /// begins after it returned when it was called on the I/O thread.
  virtual void cancel() = 0;
};

class IoThread;

/// HTTP/1.1 client with keep-alive pools, one I/O thread of its own. Thread-safe.
/// Redirects are returned, never followed. Errors: kTimeout, kUpstream (refused, reset, bad
/// answer, bad certificate; where no connection came about with the reason `dns_error`,
/// `connect_error` or `tls_error`), kPermissionDenied (the filter said no), kInvalidArgument (bad
/// URL), kTooLarge (answer over response_limit), kUnavailable (cancelled, or the client is going
/// away).
///
/// A request is repeated, once, when a pooled connection turns out dead before any byte of an
/// answer and repeating is safe: the method is idempotent, or nothing had been sent.
/// Callbacks must not throw, must not block and must not destroy the client.
class Client {
 public:
  /// @throws std::runtime_error when ca_file cannot be read.
  explicit Client(ClientOptions options);
  /// On an I/O thread of a server instead of one of its own, to be made there. leave() comes before
  /// the thread stops, and the destructor after.
  Client(ClientOptions options, IoThread& thread);
  /// Cancels what is under way; every callback has been called when it returns. May have to wait
  /// for a name lookup, which the system does not let go of.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends and calls back once, on the I/O thread.
  void send(ClientRequest request, std::function<void(Result<Response>)> done);
  /// Sends and waits. Not for I/O threads.
  Result<Response> fetch(ClientRequest request);
  std::shared_ptr<Exchange> stream(ClientRequest request, StreamHandler handler);

  /// On the borrowed thread: cancels what is under way, and takes nothing more.
  void leave();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace spindle::http
