#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spindle::http {

/// Undoes the chunked transfer coding of a request body, however the bytes are cut into reads.
/// Strict, because a lenient reader behind another server is how requests are smuggled: lines end
/// in CRLF, a size is one to sixteen hex digits. Extensions and trailers are skipped.
class ChunkDecoder {
 public:
  enum class State {
    kMore,      ///< all of the input was used, and the body goes on
    kDone,      ///< the body is whole; what was not used belongs to the next request
    kBad,       ///< not the chunked coding
    kTooLarge,  ///< the body would grow over its limit
  };

  struct Progress {
    State state;
    std::size_t used;  ///< bytes of the input
  };

  /// Appends the decoded bytes of `in` to `body`, which never grows over `limit` bytes.
  /// Not to be called again after anything but kMore.
  Progress feed(std::string_view in, std::string& body, std::size_t limit);

 private:
  enum class Expect {
    kSize,
    kExtension,
    kSizeEnd,
    kBytes,
    kBytesReturn,
    kBytesEnd,
    kTrailer,
    kTrailerText,
    kTrailerEnd,
    kLastEnd,
    kNothing,
  };

  /// What follows after a character outside chunk data; kNothing with `bad_` set when it must not
  /// stand there.
  Expect after(char c);
  bool addDigit(char c);

  Expect expect_ = Expect::kSize;
  bool bad_ = false;
  unsigned digits_ = 0;
  std::size_t overhead_ = 0;  ///< bytes of extensions and trailers so far
  std::uint64_t left_ = 0;    ///< of the current chunk
};

}  // namespace spindle::http
