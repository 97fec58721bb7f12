#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/chunk_decoder.h"
#include "http/client.h"
#include "http/compression.h"
#include "http/message.h"
#include "http/uri.h"

namespace spindle::http {

/// The request line and headers of a client's request, with the empty line behind them.
/// Fields about the connection or the framing (Connection, Content-Length, Transfer-Encoding, …)
/// are the client's own business: the caller's are left out.
/// @return kInvalidArgument when a name or a value cannot stand in a header, or for kOther.
Result<std::string> requestHead(const ClientRequest& request, const Url& url, bool streamed);

/// True when sending the request twice means the same as sending it once (RFC 9110 §9.2.2).
bool isIdempotent(Method method);

/// Gathers the whole body of an answer: undoes its content coding when the client had asked for one
/// on its own, and holds the request's limit either way.
class BodyCollector {
 public:
  /// `request` and `response` outlive the collector; `announced` is the Content-Length.
  BodyCollector(const ClientRequest& request,
                Response& response,
                std::optional<std::uint64_t> announced);

  /// @return kTooLarge over the limit, kUpstream when the coding is broken.
  Result<void> add(std::string_view bytes);
  Result<void> finish();

 private:
  Error tooLarge() const;

  const ClientRequest& request_;
  Response& response_;
  const std::optional<std::uint64_t> announced_;
  std::unique_ptr<Decoder> decoder_;  // null when the bytes are handed on as they are
  bool is_empty_ = true;
};

/// Reads one answer out of bytes that come cut anywhere. Interim (1xx) answers are skipped. Fields
/// about the connection or the framing and trailers are left out of the head.
class ResponseReader {
 public:
  /// `body_follows` is false for HEAD, whatever the head of the answer says.
  explicit ResponseReader(bool body_follows);
  ~ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  /// @return how many bytes were used; the rest must be offered again with more behind it, unless
  /// done(). kUpstream when this is not HTTP/1.x.
  Result<std::size_t> feed(std::string_view bytes);
  /// The connection was closed. @return kUpstream unless the answer may end so.
  Result<void> end();

  bool headDone() const;
  bool done() const { return done_; }
  /// Whether the connection can carry another exchange. After done().
  bool keepAlive() const;
  /// Bytes of the body as announced, when one follows and they are. After headDone().
  std::optional<std::uint64_t> contentLength() const { return announced_; }

  /// Status and headers. After headDone().
  Response& head();
  /// What has come of the body since the last call.
  std::string takeBody();

 private:
  class Parser;

  void beginBody();
  Result<std::size_t> feedBody(std::string_view bytes);

  std::unique_ptr<Parser> parser_;
  const bool body_follows_;
  std::optional<std::uint64_t> announced_;
  std::uint64_t left_ = 0;              // of what was announced
  std::optional<ChunkDecoder> chunks_;  // when the body comes in chunks
  std::string body_;
  bool done_ = false;
};

}  // namespace spindle::http
