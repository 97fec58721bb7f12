#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spindle {

/// An MD5 digest, for protocols that require MD5. Not collision-resistant.
using Md5 = std::array<std::uint8_t, 16>;

/// Incremental MD5. For one thread at a time.
class Md5Stream {
 public:
  Md5Stream();
  Md5Stream(Md5Stream&&) noexcept;
  Md5Stream& operator=(Md5Stream&&) noexcept;
  ~Md5Stream();

  void add(std::string_view bytes);
  /// Returns the digest. Call add() no more after this.
  Md5 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Md5 md5(std::string_view data);

/// Returns the bytes of a digest, for toHex() and encodeBase64().
inline std::string_view bytesOf(const Md5& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace spindle
