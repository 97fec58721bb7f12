#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "http/body_stream.h"
#include "http/message.h"

namespace spindle::http {

/// A route with this RoutePolicy::body_limit is run as soon as the head of a request is there, with
/// an empty body: it answers at once, or with an Upload that takes the body in.
inline constexpr std::size_t kStreamedBody = std::numeric_limits<std::size_t>::max();
/// The same, and the body may be compressed: the Upload gets it as it comes and undoes its
/// Content-Encoding itself (Decoder). With kStreamedBody such a body is refused.
inline constexpr std::size_t kCodedBody = kStreamedBody - 1;

/// Takes the body of a request piece by piece, of any size in little memory, and says at the end
/// what the answer is. Put into Response::stream by routes with kStreamedBody; the rest of that
/// response is not used. Calls come from worker threads, one at a time, and may block; no thread is
/// held while the next piece arrives. Destroyed without finish() when the client went away, or
/// after a refusal.
class Upload : public BodyStream {
 public:
  /// @return an answer to end the request with before its body is whole.
  virtual std::optional<Response> take(std::string_view piece) = 0;
  /// The body is whole.
  virtual Response finish() = 0;

  // Nothing is read from it.
  State next(std::string& /*piece*/) final { return State::kBroken; }
  bool blocks() const final { return true; }
  void onReady(std::function<void()> /*wake*/) final {}
  void cancel() final {}
};

}  // namespace spindle::http
