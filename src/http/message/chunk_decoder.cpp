#include "http/message/chunk_decoder.h"

#include <algorithm>

#include "base/core/ascii.h"

namespace spindle::http {
namespace {

constexpr unsigned kMaxDigits = 16;
constexpr std::size_t kMaxOverhead = 16UL * 1024;

}  // namespace

bool ChunkDecoder::addDigit(char c) {
  const int value = hexValue(c);
  if (value < 0) return false;
  left_ = left_ << 4 | static_cast<unsigned>(value);
  return ++digits_ <= kMaxDigits;
}

ChunkDecoder::Expect ChunkDecoder::must(char c, char wanted, Expect next) {
  if (c == wanted) return next;
  bad_ = true;
  return Expect::kNothing;
}

ChunkDecoder::Expect ChunkDecoder::after(char c) {
  switch (expect_) {
    case Expect::kSize:
      if (addDigit(c)) return Expect::kSize;
      if (digits_ > 0 && digits_ <= kMaxDigits) {
        if (c == ';' || c == ' ' || c == '\t') return Expect::kExtension;
        return must(c, '\r', Expect::kSizeEnd);
      }
      break;
    case Expect::kExtension:
      if (c == '\r') return Expect::kSizeEnd;
      if (c != '\n' && ++overhead_ <= kMaxOverhead) return Expect::kExtension;
      break;
    case Expect::kSizeEnd:
      return must(c, '\n', left_ > 0 ? Expect::kBytes : Expect::kTrailer);
    case Expect::kBytesReturn:
      return must(c, '\r', Expect::kBytesEnd);
    case Expect::kBytesEnd:
      digits_ = 0;
      left_ = 0;
      return must(c, '\n', Expect::kSize);
    case Expect::kTrailer:
    case Expect::kTrailerText:
      if (c == '\r') return expect_ == Expect::kTrailer ? Expect::kLastEnd : Expect::kTrailerEnd;
      if (c != '\n' && ++overhead_ <= kMaxOverhead) return Expect::kTrailerText;
      break;
    case Expect::kTrailerEnd:
      return must(c, '\n', Expect::kTrailer);
    case Expect::kLastEnd:
      return must(c, '\n', Expect::kNothing);
    case Expect::kBytes:
    case Expect::kNothing:
      break;
  }
  bad_ = true;
  return Expect::kNothing;
}

ChunkDecoder::Progress ChunkDecoder::feed(std::string_view in,
                                          std::string& body,
                                          std::size_t limit) {
  std::size_t used = 0;
  while (used < in.size()) {
    if (expect_ == Expect::kBytes) {
      if (left_ > limit - body.size()) return {State::kTooLarge, used};
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, in.size() - used));
      body.append(in.substr(used, size));
      used += size;
      left_ -= size;
      if (left_ == 0) expect_ = Expect::kBytesReturn;
      continue;
    }
    expect_ = after(in[used]);
    if (bad_) return {State::kBad, used};
    ++used;
    if (expect_ == Expect::kNothing) return {State::kDone, used};
  }
  return {State::kMore, used};
}

}  // namespace spindle::http
