#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"

namespace spindle::http {

enum class Coding { kIdentity, kGzip, kDeflate, kZstd };

/// Returns the Content-Encoding token of a coding.
std::string_view nameOf(Coding coding);

/// Parses a Content-Encoding field. An empty field and `identity` are kIdentity, `x-gzip` is kGzip.
/// Returns nothing for an unknown coding or a list of codings.
std::optional<Coding> codingOf(std::string_view content_encoding);

/// Selects the coding of a response by Accept-Encoding: the highest q-value wins; equal q-values
/// prefer zstd, then gzip, then identity. `q=0` forbids a coding, `*` matches codings that are not
/// listed. Returns identity if no other coding is acceptable.
Coding chooseCoding(std::string_view accept_encoding);
/// Returns true if Accept-Encoding allows gzip, whatever the client prefers.
bool acceptsGzip(std::string_view accept_encoding);

/// Incremental decoder of a content coding. In addition to the output, it uses at most the memory
/// of the coding's window (32 KiB, or 8 MiB for zstd as in RFC 9659). One thread at a time.
///
/// Accepts multiple gzip members and zstd frames; deflate data may be in zlib format or raw.
class Decoder {
 public:
  static std::unique_ptr<Decoder> make(Coding coding);
  virtual ~Decoder() = default;

  /// Appends the decoded bytes of `in`. The decoder must not be used after an error.
  /// @return kTooLarge if `out` would exceed `limit` bytes in total (it then contains exactly
  /// `limit` bytes), kInvalidArgument if the data is corrupt.
  virtual Result<void> feed(std::string_view in, std::string& out, std::size_t limit) = 0;

  /// Must be called after the last byte. @return kInvalidArgument if the data is truncated.
  virtual Result<void> finish() = 0;

  /// Sets the callback that approves each growth of the output, with the new capacity in bytes. If
  /// it returns false, feed() returns kUnavailable.
  using Growth = std::function<bool(std::size_t capacity)>;
  void setGrowth(Growth growth) { growth_ = std::move(growth); }

 protected:
  const Growth& growth() const { return growth_; }

 private:
  Growth growth_;
};

/// Incremental encoder of a content coding. One thread at a time.
class Encoder {
 public:
  static std::unique_ptr<Encoder> make(Coding coding);
  virtual ~Encoder() = default;

  /// Encodes bytes and returns the available output. With `flush`, the output so far is sufficient
  /// to decode all input so far, as a stream of events requires.
  virtual std::string feed(std::string_view in, bool flush) = 0;

  /// Returns the remaining output. feed() must not be called afterwards.
  virtual std::string finish() = 0;
};

}  // namespace spindle::http
