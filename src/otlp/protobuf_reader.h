#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spindle::otlp {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field of a Protocol Buffers message.
struct Field {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  ///< for all types except kBytes
  std::string_view bytes;   ///< for kBytes
  std::size_t offset = 0;   ///< offset of its tag in the body
};

/// Reads the fields of one message, one after another. A nested message needs its own reader over
/// Field::bytes. Groups, which are deprecated in Protocol Buffers, are rejected.
class ProtobufReader {
 public:
  /// `message` is a part of `body`. Offsets count from the start of `body`.
  ProtobufReader(std::string_view message, std::string_view body)
      : at_(message.data()), end_(message.data() + message.size()), origin_(body.data()) {}

  /// Reads the next field. Returns false at the end and after an error.
  bool next(Field& field);
  /// Returns the error with its byte offset, or an empty string.
  const std::string& fault() const { return fault_; }

 private:
  bool varint(std::uint64_t& value);
  bool fixed(std::size_t size, std::uint64_t& value);
  bool fail(std::string_view what, const char* where);

  const char* at_;
  const char* const end_;
  const char* const origin_;
  std::string fault_;
};

}  // namespace spindle::otlp
