#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace spindle::http {

/// The status and reason with which the server itself, not a handler, refuses a request.
struct RequestRefusal {
  RequestRefusal(int status_code, std::string_view text, std::string_view metric_label)
      : status(status_code), detail(text), reason(metric_label) {}

  int status;
  std::string_view detail;  ///< for the client; static text
  std::string_view reason;  ///< for the metrics; static text
};

/// The message framing and connection options of a request head (RFC 9112).
struct RequestFraming {
  bool http_1_0 = false;
  bool keep_alive = false;
  bool chunked = false;
  bool expects_continue = false;
  std::uint64_t content_length = 0;

  bool hasBody() const { return chunked || content_length > 0; }
};

/// Incremental parser of request heads, from bytes in memory. Refuses heads that two servers could
/// interpret differently (multiple lengths, a length and a transfer coding, a missing or repeated
/// Host, folded header lines). One thread at a time.
class RequestParser {
 public:
  /// `base_path`, such as `/spindle`, is for proxies that do not strip the path prefix: the parser
  /// removes it from targets and sets the header kForwardedPrefix (http/message/origin.h).
  explicit RequestParser(std::size_t header_limit, std::string base_path = {});
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  enum class State { kMore, kDone, kRefused };

  struct Progress {
    State state;
    std::size_t used;  ///< bytes of the input; pass the rest again together with more bytes
  };

  /// Starts a new request. Writes the head into `request`, which must keep its address.
  void begin(Request& request);
  Progress feed(std::string_view in);

  /// Valid after kDone.
  const RequestFraming& framing() const;
  /// Valid after kRefused.
  const RequestRefusal& refusal() const;

 private:
  class Head;
  const std::size_t header_limit_;
  const std::string base_path_;
  std::unique_ptr<Head> head_;
};

}  // namespace spindle::http
