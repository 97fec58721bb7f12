#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

/// Functions that encode Protocol Buffers messages, for tests.
namespace spindle::otlp::pb {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
  return out;
}
inline std::string tag(unsigned number, unsigned type) { return varint(number << 3U | type); }
inline std::string number(unsigned field, std::uint64_t value) {
  return tag(field, 0) + varint(value);
}
inline std::string fixed64(unsigned field, std::uint64_t value) {
  std::string out = tag(field, 1);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
inline std::string bytes(unsigned field, std::string_view held) {
  return tag(field, 2) + varint(held.size()) + std::string(held);
}

inline std::string text(std::string_view held) { return bytes(1, held); }
inline std::string truth(bool held) { return number(2, held ? 1 : 0); }
inline std::string integer(std::int64_t held) {
  return number(3, static_cast<std::uint64_t>(held));
}
inline std::string real(double held) { return fixed64(4, std::bit_cast<std::uint64_t>(held)); }
inline std::string blob(std::string_view held) { return bytes(7, held); }
inline std::string list(std::initializer_list<std::string> values) {
  std::string items;
  for (const std::string& value : values) items += bytes(1, value);
  return bytes(5, items);
}
inline std::string keyValue(std::string_view key, std::string_view value) {
  return bytes(1, key) + bytes(2, value);
}
inline std::string map(std::initializer_list<std::string> members) {
  std::string items;
  for (const std::string& member : members) items += bytes(1, member);
  return bytes(6, items);
}

/// Returns a span with the fields that most tests need, followed by `more`.
inline std::string span(std::string_view name, std::string_view more = {}) {
  return bytes(1, std::string(15, '\x11') + '\x01') + bytes(2, std::string(7, '\x22') + '\x02') +
         bytes(5, name) + fixed64(7, 1'700'000'000'000'000'000) +
         fixed64(8, 1'700'000'001'500'000'000) + std::string(more);
}
inline std::string attribute(std::string_view key, std::string_view value) {
  return bytes(9, keyValue(key, value));
}
/// Returns a request with one resource and one scope.
inline std::string request(std::initializer_list<std::string> spans,
                           std::string_view resource = {}) {
  std::string scope;
  for (const std::string& each : spans) scope += bytes(2, each);
  return bytes(1, bytes(1, resource) + bytes(2, scope));
}

}  // namespace spindle::otlp::pb
