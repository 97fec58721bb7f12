#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/compression.h"
#include "http/message/message.h"

namespace spindle::http {

/// Returns the reason phrase of a status code; empty for unregistered codes.
std::string_view reasonOf(int status);

/// Returns true for statuses without a body: 1xx, 204 and 304.
bool forbidsBody(int status);

/// Returns an error response that the server itself sends, in the error format of the route.
/// `detail` must not need JSON escapes.
Response refusalResponse(int status, std::string_view detail, ErrorShape shape);

/// Selects the content coding of a response for this Accept-Encoding: identity unless the body is
/// text of at least 1 KiB or a stream of text other than events.
/// Adds `Vary: Accept-Encoding` to the response if the selection depends on the request.
Coding negotiateCoding(Response& response, std::string_view accept_encoding);

/// The current time as an HTTP date, formatted once per second. One thread at a time.
class DateText {
 public:
  std::string_view at(std::time_t now);

 private:
  std::time_t second_ = -1;
  std::string text_;
};

/// The framing of the body after the head.
enum class BodyFraming {
  kLength,  ///< Content-Length
  kChunked,
  kUntilClose,  ///< a stream to an HTTP/1.0 client
  kNone,        ///< no body and no framing fields
};

struct ResponseHeadFields {
  int status = 200;
  BodyFraming framing = BodyFraming::kLength;
  std::uint64_t content_length = 0;
  Coding coding = Coding::kIdentity;
  bool close = false;
  bool send_keep_alive = false;  ///< for HTTP/1.0, where keep-alive is not the default
  std::string_view date;
  std::string_view request_id;
};

/// Appends the status line and the header fields without the empty line, so that more fields can
/// follow. The server sets the connection and length fields; those of the service are omitted. Line
/// ends inside values become spaces.
void appendHead(std::string& out, const ResponseHeadFields& fields, const Headers& headers);

}  // namespace spindle::http
