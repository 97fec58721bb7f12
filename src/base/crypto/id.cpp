#include "base/crypto/id.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/crypto/crypto.h"

namespace spindle {
namespace {

/// A buffer of random bytes, one per thread. A call of the generator costs about as much for 1 byte
/// as for 1,000, and every request needs an id.
class RandomBuffer {
 public:
  void take(std::uint8_t* out, std::size_t size) {
    if (bytes_.size() - used_ < size) {
      randomBytes(bytes_.data(), bytes_.size());
      used_ = 0;
    }
    std::copy_n(bytes_.data() + used_, size, out);
    used_ += size;
  }

 private:
  std::array<std::uint8_t, 1000> bytes_{};
  std::size_t used_ = bytes_.size();
};

/// Returns a position in time: 48 bits of milliseconds, then 16 bits that are unique in this
/// process within one millisecond. The 16 bits start with the microseconds and continue from the
/// newest id if that is later. Ids thus sort in creation order even if the clock has not advanced.
std::uint64_t nextPosition(Timestamp now) {
  static std::atomic<std::uint64_t> newest{0};
  constexpr std::uint64_t kPositionsPerMicrosecond = 65;  // 1,000 of them fit in 16 bits
  const auto micros = static_cast<std::uint64_t>(microsOf(now));
  const std::uint64_t millis = micros / 1000;
  const std::uint64_t earliest = millis << 16 | micros % 1000 * kPositionsPerMicrosecond;
  std::uint64_t last = newest.load(std::memory_order_relaxed);
  std::uint64_t place = 0;
  do {
    // A time in another millisecond, such as that of an older event, does not depend on the newest
    // id.
    place = last >> 16 == millis ? std::max(earliest, last + 1) : earliest;
  } while (!newest.compare_exchange_weak(last, place, std::memory_order_relaxed));
  return place;
}

/// Returns 16 bytes: a position in time in the first eight, big-endian, the rest random.
std::array<std::uint8_t, 16> timeOrderedBytes(Timestamp now) {
  thread_local RandomBuffer buffer;
  std::array<std::uint8_t, 16> bytes{};
  buffer.take(bytes.data() + 8, 8);
  const std::uint64_t place = nextPosition(now);
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(place >> (56 - 8 * i));
  return bytes;
}

}  // namespace

std::string newUuid(Timestamp now) {
  std::array<std::uint8_t, 16> bytes = timeOrderedBytes(now);
  // Version and variant take six bits; the position bits are shifted behind them and not lost.
  bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[7] & 0x0f) << 2 | (bytes[8] & 0x03));
  bytes[7] = static_cast<std::uint8_t>(bytes[6] << 4 | bytes[7] >> 4);
  bytes[6] = static_cast<std::uint8_t>(0x70 | bytes[6] >> 4);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string newPrefixedId(std::string_view prefix, Timestamp now) {
  const std::array<std::uint8_t, 16> bytes = timeOrderedBytes(now);
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::string text(prefix);
  // 128 bits as 26 base-32 digits: the first digit holds the top three bits.
  const auto bit_at = [&bytes](int index) {
    return index < 0 ? 0U : (bytes[static_cast<unsigned>(index) / 8] >> (7 - index % 8)) & 1U;
  };
  for (int digit = 0; digit < 26; ++digit) {
    unsigned value = 0;
    for (int bit = 0; bit < 5; ++bit) value = value << 1 | bit_at(digit * 5 + bit - 2);
    text += kDigits[value];
  }
  return text;
}

}  // namespace spindle
