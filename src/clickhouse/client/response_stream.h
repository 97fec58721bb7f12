#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "http/client/client.h"
#include "http/message/compression.h"

namespace spindle::clickhouse {

/// The body of a streamed response, between the I/O thread of the HTTP client and the thread that
/// reads it. Buffers a limited number of bytes: a slow reader stops the transfer. Decodes the
/// content coding on the reader's thread.
///
/// All functions are for one thread at a time. They block until bytes arrive or the HTTP client
/// ends the exchange.
class ResponseStream {
 public:
  /// Starts the exchange. The client must outlive this object.
  ResponseStream(http::Client& client, http::ClientRequest request, std::size_t buffered_bytes);
  /// Cancels the exchange if it is not complete.
  ~ResponseStream();
  ResponseStream(const ResponseStream&) = delete;
  ResponseStream& operator=(const ResponseStream&) = delete;

  /// Blocks until the status and the headers are known. @return the error of the HTTP client.
  Result<void> awaitHead();
  /// The status and the headers; empty before awaitHead() has returned.
  const http::Response& head() const { return head_; }

  /// Appends the next decoded bytes. @return false at the end of the body; the error of the HTTP
  /// client; kUpstream for bytes that are not in the announced coding.
  Result<bool> read(std::string& out);

 private:
  struct Shared;

  const std::shared_ptr<Shared> shared_;  // with the callbacks of the exchange
  std::shared_ptr<http::ClientExchange> exchange_;
  http::Response head_;
  std::unique_ptr<http::Decoder> decoder_;  // null for an identity coding
};

}  // namespace spindle::clickhouse
