#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "http/message/message.h"

namespace spindle::http {

/// Decides whether the client may connect to an address; returns an error to refuse it. The client
/// calls it for every address after name resolution, immediately before connecting, so that DNS
/// rebinding has no effect. `address` is a numeric IPv4 or IPv6 address; an IPv4-mapped IPv6
/// address is passed as IPv4. Pooled connections are checked too. A Unix socket has no address and
/// is always refused if a filter is set. Called on the client's I/O thread: must not block.
using AddressFilter = std::function<Result<void>(std::string_view address, std::uint16_t port)>;

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds idle_timeout{30000};  ///< closes an unused pooled connection
  std::size_t connections_per_origin = 32;        ///< further requests wait for a free connection
  std::size_t idle_connections_per_origin = 8;
  std::string ca_file;  ///< PEM bundle of trusted certificates; empty: those of the system
  /// Resolves a name to numeric addresses, on a thread that may block; empty: the system resolver.
  std::function<std::vector<std::string>(const std::string& host)> look_up = {};
};

/// A request body that is read while it is sent, so that it need not fit in memory.
struct RequestBodySource {
  std::uint64_t size = 0;
  /// Returns at least one and at most `most` bytes from `offset`. Called on the client's I/O
  /// thread: may read a file, but must not wait for other threads or servers. An error ends the
  /// request.
  std::function<Result<std::string>(std::uint64_t offset, std::size_t most)> read;
};

/// A request to send. `url` is absolute (http, https, or `unix:/path/to.sock:/target`).
///
/// The client sets the framing and connection headers (Content-Length, Transfer-Encoding,
/// Connection, …) itself. It ignores such headers in the request and removes them from the
/// response. Without an Accept-Encoding header, the client negotiates compression and decodes a
/// complete response body; it requests a stream uncompressed. An empty Accept-Encoding header is
/// not sent.
struct ClientRequest {
  Method method = Method::kGet;
  std::string url;
  Headers headers;
  std::string body;
  RequestBodySource body_source = {};        ///< replaces `body` if `read` is set
  std::chrono::milliseconds timeout{30000};  ///< for the whole exchange; with a stream: until the
                                             ///< head; with a sourced body: after the body
  std::chrono::milliseconds connect_timeout{0};           ///< 0: the value in ClientOptions
  std::chrono::milliseconds stream_first_timeout{0};      ///< from head to first chunk; 0: as idle
  std::chrono::milliseconds stream_idle_timeout{120000};  ///< between two chunks of a stream
  std::chrono::milliseconds stream_timeout{0};            ///< for a whole stream; 0: none
  std::size_t response_limit = 64UL * 1024 * 1024;        ///< bytes of a body that is not streamed
  AddressFilter filter;                                   ///< empty: every address is allowed
};

/// Callbacks of a streamed response. They run on the client's I/O thread and must not block.
struct StreamHandler {
  /// Receives the status and headers, before the body.
  std::function<void(const Response& head)> on_head;
  /// Receives some bytes of the body. Return false to pause: the client reads no more until
  /// resume() is called. The bytes count as consumed in both cases.
  std::function<bool(std::string_view bytes)> on_bytes;
  /// Called exactly once, at the end, with success or the error that ended the stream.
  std::function<void(Result<void> outcome)> on_end;
};

/// Handle of a streamed exchange. Thread-safe; destroying the handle does not affect the exchange.
class ClientExchange {
 public:
  virtual ~ClientExchange() = default;
  virtual void resume() = 0;
  /// Aborts the exchange; on_end is called with kUnavailable unless it was called before. If
  /// cancel() is called on the I/O thread, no other callback starts after it returns.
  virtual void cancel() = 0;
};

class IoThread;

/// HTTP/1.1 client with keep-alive connection pools and its own I/O thread. Thread-safe.
/// Redirects are returned, not followed. Errors: kTimeout; kUpstream (refused, reset, invalid
/// response, invalid certificate; with the reason `dns_error`, `connect_error` or `tls_error` if no
/// connection was established); kPermissionDenied (refused by the filter); kInvalidArgument
/// (invalid URL); kTooLarge (response exceeds response_limit); kUnavailable (cancelled, or the
/// client shuts down).
///
/// A request is retried once if a pooled connection fails before the first byte of the response and
/// a retry is safe: the method is idempotent, or nothing was sent.
/// Callbacks must not throw, block or destroy the client.
class Client {
 public:
  /// @throws std::runtime_error if ca_file cannot be read.
  explicit Client(ClientOptions options);
  /// Uses an I/O thread of a server instead of its own. Must be called on that thread. Call leave()
  /// before the thread stops, and the destructor afterwards.
  Client(ClientOptions options, IoThread& thread);
  /// Cancels all running requests; all callbacks have been called when it returns. May block until
  /// a name lookup ends, because the system cannot cancel a lookup.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends a request and calls `done` exactly once, on the I/O thread.
  void send(ClientRequest request, std::function<void(Result<Response>)> done);
  /// Sends a request and blocks until the response is complete. Must not run on I/O threads.
  Result<Response> fetch(ClientRequest request);
  std::shared_ptr<ClientExchange> stream(ClientRequest request, StreamHandler handler);

  /// Cancels all running requests and rejects new ones. Must run on the borrowed I/O thread.
  void detach();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace spindle::http
