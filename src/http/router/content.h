#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/core/result.h"
#include "http/message/message.h"

namespace spindle::http {

/// The bytes of stored content that a request selects.
struct ByteRange {
  enum class Kind { kWhole, kPart, kNone };  ///< kNone: the range is not satisfiable (416)
  Kind kind = Kind::kWhole;
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};

/// Returns the range that `Range` and `If-Range` select (RFC 9110): one range of bytes, or the
/// whole content. Multiple ranges, other units and invalid fields select the whole content.
ByteRange rangeOf(const Headers& headers, std::uint64_t size, const std::string& etag);

/// Content with random access. `read` returns up to `most` bytes from `offset`. It runs on worker
/// threads, one call at a time, and may block.
struct Content {
  std::uint64_t size = 0;
  std::string etag;  ///< with its quotes
  std::function<Result<std::string>(std::uint64_t offset, std::size_t most)> read;
};

/// Returns the response to a GET of stored content: 200, 206 or 416. The content is read while the
/// client receives it, so it needs little memory. The headers prevent that a browser shows the
/// content as a page of this server, because users uploaded it.
Response contentResponse(const Request& request, Content content);

}  // namespace spindle::http
