// Fuzzes the responses that the HTTP client reads. The first byte is the chunk size; the result
// must not depend on how the response is split.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/client/client_message.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  bool good = false;
  int status = 0;
  std::string body;
};

Outcome read(std::string_view bytes, std::size_t piece) {
  spindle::http::ResponseReader reader(true);
  Outcome outcome;
  std::string unread;
  for (std::size_t at = 0; at < bytes.size() && !reader.done(); at += piece) {
    unread += bytes.substr(at, piece);
    const auto used = reader.feed(unread);
    if (!used) return outcome;
    require(*used <= unread.size());
    unread.erase(0, *used);
    outcome.body += reader.takeBody();
  }
  outcome.good = reader.end().has_value();
  if (!outcome.good) return outcome;
  outcome.status = reader.head().status;
  (void)reader.keepAlive();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome cut = read(bytes, data[0] % 64 + 1U);
  const Outcome whole = read(bytes, size);
  require(cut.good == whole.good);
  if (cut.good) require(cut.status == whole.status && cut.body == whole.body);
  return 0;
}
