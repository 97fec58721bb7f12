// The first byte selects the coding and the chunk size. Decoding must respect its limit, must not
// depend on how the data is split, and must invert the encoder.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/message/compression.h"

namespace {

using spindle::http::Coding;
using spindle::http::Decoder;
using spindle::http::Encoder;

constexpr std::size_t kLimit = 1 << 16;

void require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  bool good = false;
  std::string out;
};

Outcome decode(Coding coding, std::string_view data, std::size_t piece) {
  const auto decoder = Decoder::make(coding);
  Outcome outcome;
  for (std::size_t at = 0; at < data.size(); at += piece) {
    const bool fed = decoder->feed(data.substr(at, piece), outcome.out, kLimit).has_value();
    require(outcome.out.size() <= kLimit);
    if (!fed) return outcome;
  }
  outcome.good = decoder->finish().has_value();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto coding = static_cast<Coding>(data[0] & 3);
  const std::size_t piece = (data[0] >> 2) + 1U;

  const Outcome cut = decode(coding, rest, piece);
  const Outcome whole = decode(coding, rest, size);
  require(cut.good == whole.good);
  if (cut.good) require(cut.out == whole.out);

  const auto encoder = Encoder::make(coding);
  std::string packed = encoder->feed(rest.substr(0, rest.size() / 2), true);
  packed += encoder->feed(rest.substr(rest.size() / 2), false);
  packed += encoder->finish();
  const Outcome back = decode(coding, packed, piece);
  if (rest.size() <= kLimit) require(back.good && back.out == rest);

  (void)spindle::http::chooseCoding(rest);
  (void)spindle::http::codingOf(rest);
  return 0;
}
