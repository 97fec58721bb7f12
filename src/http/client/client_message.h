#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/opaque.h"
#include "base/core/result.h"
#include "http/client/client.h"
#include "http/message/chunk_decoder.h"
#include "http/message/compression.h"
#include "http/message/message.h"
#include "http/message/uri.h"

namespace spindle::http {

/// Returns the request line and headers of a client request, with the empty line after them. The
/// client sets the connection and framing fields (Connection, Content-Length, Transfer-Encoding, …)
/// itself; those of the caller are omitted.
/// @return kInvalidArgument if a field name or value is invalid, or for Method::kOther.
Result<std::string> requestHead(const ClientRequest& request, const Url& url, bool streamed);

/// Returns true if the method is idempotent (RFC 9110 §9.2.2).
bool isIdempotent(Method method);

/// Collects the complete body of a response. Decodes its content coding if the client, not the
/// caller, negotiated it. Enforces the response limit of the request.
class BodyCollector {
 public:
  /// `request` and `response` must outlive the collector; `announced` is the Content-Length.
  BodyCollector(const ClientRequest& request,
                Response& response,
                std::optional<std::uint64_t> announced);

  /// @return kTooLarge if the body exceeds the limit, kUpstream if the content coding is invalid.
  Result<void> add(std::string_view bytes);
  Result<void> finish();

 private:
  Error tooLarge() const;

  const ClientRequest& request_;
  Response& response_;
  const std::optional<std::uint64_t> announced_;
  std::unique_ptr<Decoder> decoder_;  // null if the bytes are not decoded
  bool is_empty_ = true;
};

/// Incremental parser of one response; accepts the bytes in reads of any size. Skips interim (1xx)
/// responses. Omits trailers and the connection and framing fields from the headers.
class ResponseReader {
 public:
  /// `body_follows` is false for HEAD, independent of the response head.
  explicit ResponseReader(bool body_follows);

  /// @return the number of used bytes; unless done(), pass the rest again together with more bytes.
  /// kUpstream if the bytes are not valid HTTP/1.x.
  Result<std::size_t> feed(std::string_view bytes);
  /// Signals that the connection was closed. @return kUpstream if the response is incomplete.
  Result<void> end();

  bool headDone() const;
  bool done() const { return done_; }
  /// Returns true if the connection can be reused. Valid after done().
  bool keepAlive() const;
  /// Returns the Content-Length if a body with a length follows. Valid after headDone().
  std::optional<std::uint64_t> contentLength() const { return announced_; }

  /// Returns the status and headers. Valid after headDone().
  Response& head();
  /// Returns the body bytes since the last call.
  std::string takeBody();

 private:
  class Parser;

  void beginBody();
  Result<std::size_t> feedBody(std::string_view bytes);

  OpaquePtr<Parser> parser_;
  const bool body_follows_;
  std::optional<std::uint64_t> announced_;
  std::uint64_t left_ = 0;              // remaining bytes of the announced length
  std::optional<ChunkDecoder> chunks_;  // set for a chunked body
  std::string body_;
  bool done_ = false;
};

}  // namespace spindle::http
