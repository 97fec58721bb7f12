#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spindle::http {

/// Incremental decoder of the chunked transfer coding. Accepts the bytes in reads of any size.
/// Strict, because a lenient parser behind another server enables request smuggling: lines end with
/// CRLF, and a size has one to sixteen hex digits. Skips extensions and trailers.
class ChunkDecoder {
 public:
  enum class State {
    kMore,      ///< the whole input was used; more input is needed
    kDone,      ///< the body is complete; unused input belongs to the next message
    kBad,       ///< invalid chunked coding
    kTooLarge,  ///< the body would exceed its limit
  };

  struct Progress {
    State state;
    std::size_t used;  ///< bytes of the input
  };

  /// Appends the decoded bytes of `in` to `body`, which never exceeds `limit` bytes.
  /// May be called again only after kMore.
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

  /// Returns the next state after a character outside chunk data. Sets `bad_` and returns kNothing
  /// if the character is invalid there.
  Expect after(char c);
  /// Returns `next` if the character is the wanted one. Otherwise as after() for an invalid one.
  Expect must(char c, char wanted, Expect next);
  bool addDigit(char c);

  Expect expect_ = Expect::kSize;
  bool bad_ = false;
  unsigned digits_ = 0;
  std::size_t overhead_ = 0;  ///< bytes of extensions and trailers so far
  std::uint64_t left_ = 0;    ///< remaining bytes of the current chunk
};

}  // namespace spindle::http
