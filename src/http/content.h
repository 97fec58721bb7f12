#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "http/message.h"

namespace spindle::http {

/// Which bytes of some content a request wants.
struct ByteRange {
  enum class Kind { kWhole, kPart, kNone };  ///< kNone: nothing there can satisfy it (416)
  Kind kind = Kind::kWhole;
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};

/// What `Range` and `If-Range` ask for (RFC 9110): one range of bytes, or all of them. Several
/// ranges, other units and what cannot be understood are answered whole.
ByteRange rangeOf(const Headers& headers, std::uint64_t size, const std::string& etag);

/// Bytes that can be read anywhere. `read` gives up to so many from an offset on, runs on worker
/// threads, one at a time, and may block.
struct Content {
  std::uint64_t size = 0;
  std::string etag;  ///< with its quotes
  std::function<Result<std::string>(std::uint64_t offset, std::size_t most)> read;
};

/// The answer to a GET for some content: 200, 206 or 416, read while the client takes it, in little
/// memory. Never shown by a browser as a page of this server: the bytes are somebody's.
Response contentResponse(const Request& request, Content content);

}  // namespace spindle::http
