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
  std::uint64_t value = 0;  ///< of all but kBytes
  std::string_view bytes;   ///< of kBytes
  std::size_t offset = 0;   ///< of its tag in the body
};

/// Reads the fields of one message, one after another. Messages inside it are read by readers of
/// their own over Field::bytes. Groups, which Protocol Buffers themselves gave up, are refused.
class ProtobufReader {
 public:
  /// `body` is the whole that `message` is a part of: offsets count from its beginning.
  ProtobufReader(std::string_view message, std::string_view body)
      : at_(message.data()), end_(message.data() + message.size()), origin_(body.data()) {}

  /// False at the end and at a fault.
  bool next(Field& field);
  /// What is wrong and where; empty when nothing is.
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
