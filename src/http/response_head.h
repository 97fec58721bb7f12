#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "http/compression.h"
#include "http/message.h"

namespace spindle::http {

/// The phrase that follows a status code; empty for codes nobody registered.
std::string_view reasonOf(int status);

/// True for answers that never have a body: 1xx, 204 and 304.
bool forbidsBody(int status);

/// What the server answers by itself, in the words of the family. `detail` is text of ours, without
/// quotes.
Response refusalResponse(int status, std::string_view detail, ErrorShape shape);

/// How to compress an answer to a client that sent this Accept-Encoding: identity unless the body
/// is worth it (text of at least 1 KiB, or a stream of text other than events).
/// Adds `Vary: Accept-Encoding` to the response when the choice depended on the request.
Coding negotiateCoding(Response& response, std::string_view accept_encoding);

/// The time as an HTTP date, made anew once a second. One thread at a time.
class DateText {
 public:
  std::string_view at(std::time_t now);

 private:
  std::time_t second_ = -1;
  std::string text_;
};

/// How the body that follows the head ends.
enum class BodyFraming {
  kLength,  ///< Content-Length
  kChunked,
  kUntilClose,  ///< a stream to an HTTP/1.0 client
  kNone,        ///< no body, and none described
};

struct HeadFacts {
  int status = 200;
  BodyFraming framing = BodyFraming::kLength;
  std::uint64_t content_length = 0;
  Coding coding = Coding::kIdentity;
  bool close = false;
  bool say_keep_alive = false;  ///< for HTTP/1.0, where it is not a matter of course
  std::string_view date;
  std::string_view request_id;
};

/// Appends the status line and the header fields, without the empty line, so that more can follow.
/// Fields that describe the connection or the length are ours: the service's are left out. Line
/// ends inside values become spaces.
void appendHead(std::string& out, const HeadFacts& facts, const Headers& headers);

}  // namespace spindle::http
