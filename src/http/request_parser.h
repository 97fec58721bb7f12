#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace spindle::http {

/// Why the edge itself turns a request away.
struct EdgeRefusal {
  EdgeRefusal(int status_code, std::string_view text, std::string_view metric_label)
      : status(status_code), detail(text), reason(metric_label) {}

  int status;
  std::string_view detail;  ///< for the client; static text
  std::string_view reason;  ///< for the metrics; static text
};

/// What a request head says about how to go on.
struct RequestFraming {
  bool http_1_0 = false;
  bool keep_alive = false;
  bool chunked = false;
  bool expects_continue = false;
  std::uint64_t content_length = 0;

  bool hasBody() const { return chunked || content_length > 0; }
};

/// Reads the head of one request after another, from bytes in memory. Refuses whatever two
/// servers could understand differently (several lengths, a length beside a transfer coding, a
/// missing or repeated Host, folded header lines). One thread at a time.
class RequestParser {
 public:
  /// `base_path`: `/spindle` where a proxy passes on whole paths; it is taken off targets that
  /// begin with it, and told in the header kForwardedPrefix (http/origin.h).
  explicit RequestParser(std::size_t header_limit, std::string base_path = {});
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  enum class State { kMore, kDone, kRefused };

  struct Progress {
    State state;
    std::size_t used;  ///< bytes of the input; pass the rest again, with more behind it
  };

  /// Forgets the previous request. The head goes into `request`, which must stay in place.
  void begin(Request& request);
  Progress feed(std::string_view in);

  /// After kDone.
  const RequestFraming& framing() const;
  /// After kRefused.
  const EdgeRefusal& refusal() const;

 private:
  class Head;
  const std::size_t header_limit_;
  const std::string base_path_;
  std::unique_ptr<Head> head_;
};

}  // namespace spindle::http
