#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spindle {

/// Names content where a protocol says so; no protection against whoever makes collisions.
using Md5 = std::array<std::uint8_t, 16>;

/// MD5 of bytes that come in pieces. One thread at a time.
class Md5Stream {
 public:
  Md5Stream();
  Md5Stream(Md5Stream&&) noexcept;
  Md5Stream& operator=(Md5Stream&&) noexcept;
  ~Md5Stream();

  void add(std::string_view bytes);
  /// Ends the stream: nothing more may be added.
  Md5 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Md5 md5(std::string_view data);

/// The bytes of a digest, for toHex() and encodeBase64().
inline std::string_view bytesOf(const Md5& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace spindle
