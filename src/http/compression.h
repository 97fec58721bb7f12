#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace spindle::http {

enum class Coding { kIdentity, kGzip, kDeflate, kZstd };

/// The token of a coding as it stands in Content-Encoding.
std::string_view nameOf(Coding coding);

/// Reads a Content-Encoding. Empty and `identity` are kIdentity, `x-gzip` is kGzip. Nothing for an
/// unknown coding or a list of several.
std::optional<Coding> codingOf(std::string_view content_encoding);

/// Picks the coding of an answer from Accept-Encoding: the highest q-value wins, zstd before gzip
/// before identity among equals; `q=0` forbids, `*` stands for what is not named. Identity when
/// nothing else is wanted.
Coding chooseCoding(std::string_view accept_encoding);

/// Undoes a content coding, piece by piece. Memory is bounded by the coding's window (32 KiB, or
/// 8 MiB for zstd as RFC 9659 says) beside the output. One thread at a time.
///
/// gzip may have several members and zstd several frames; deflate may be wrapped as zlib or raw.
class Decoder {
 public:
  static std::unique_ptr<Decoder> make(Coding coding);
  virtual ~Decoder() = default;

  /// Appends what `in` decodes to. After an error the decoder is of no more use.
  /// @return kTooLarge when `out` would grow over `limit` bytes in all (it then holds exactly
  /// `limit`), kInvalidArgument when the data is corrupt.
  virtual Result<void> feed(std::string_view in, std::string& out, std::size_t limit) = 0;

  /// To be called after the last byte. @return kInvalidArgument when the data stops too early.
  virtual Result<void> finish() = 0;

  /// Sets what to ask before the capacity of the output grows, with the new capacity in bytes. When
  /// it returns false, feed() returns kUnavailable.
  using Growth = std::function<bool(std::size_t capacity)>;
  void setGrowth(Growth growth) { growth_ = std::move(growth); }

 protected:
  const Growth& growth() const { return growth_; }

 private:
  Growth growth_;
};

/// Applies a content coding, piece by piece. One thread at a time.
class Encoder {
 public:
  static std::unique_ptr<Encoder> make(Coding coding);
  virtual ~Encoder() = default;

  /// Takes bytes and gives what is ready; with `flush` everything so far can be decoded from what
  /// has been given, as a stream of events needs.
  virtual std::string feed(std::string_view in, bool flush) = 0;

  /// The rest. Nothing may be fed after it.
  virtual std::string finish() = 0;
};

}  // namespace spindle::http
