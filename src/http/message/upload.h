#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/body_stream.h"
#include "http/message/message.h"

namespace spindle::http {

/// Value of RoutePolicy::body_limit for streamed request bodies. The handler runs after the head of
/// the request, with an empty body. It returns a response, or an Upload that receives the body.
inline constexpr std::size_t kStreamedBody = std::numeric_limits<std::size_t>::max();
/// Like kStreamedBody, but the body may be compressed: the Upload receives the encoded bytes and
/// decodes the Content-Encoding itself (Decoder). kStreamedBody rejects such a body.
inline constexpr std::size_t kCodedBody = kStreamedBody - 1;

/// Receives a request body of any size chunk by chunk, in little memory, and returns the response
/// at the end. A route with kStreamedBody or kCodedBody returns it in Response::stream; the rest of
/// that response is ignored. Calls run on worker threads, one at a time, and may block; no thread
/// is occupied while the next chunk arrives. Destroyed without finish() if the client disconnects
/// or after a refusal.
class Upload : public BodyStream {
 public:
  /// Processes one chunk. @return a response that ends the request before its body is complete.
  virtual std::optional<Response> take(std::string_view chunk) = 0;
  /// Called after the last chunk. @return the response.
  virtual Response finish() = 0;

  // An upload is never read as a response body.
  State next(std::string& /*piece*/) final { return State::kBroken; }
  bool blocks() const final { return true; }
  void onReady(std::function<void()> /*wake*/) final {}
  void cancel() final {}
};

}  // namespace spindle::http
