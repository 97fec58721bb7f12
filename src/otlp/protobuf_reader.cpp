#include "otlp/protobuf_reader.h"

namespace spindle::otlp {
namespace {

constexpr int kMaxVarintBytes = 10;
constexpr std::uint64_t kMaxFieldNumber = (1U << 29) - 1;

}  // namespace

bool ProtobufReader::fail(std::string_view what, const char* where) {
  fault_ = std::string(what) + " at byte " + std::to_string(where - origin_);
  return false;
}

bool ProtobufReader::varint(std::uint64_t& value) {
  const char* const start = at_;
  value = 0;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    if (at_ == end_) return fail("the message ends inside a number", start);
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
    if (byte < 0x80U) return true;
  }
  return fail("a number is longer than ten bytes", start);
}

bool ProtobufReader::fixed(std::size_t size, std::uint64_t& value) {
  if (static_cast<std::size_t>(end_ - at_) < size)
    return fail("the message ends inside a number", at_);
  value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(at_[i])) << (8 * i);
  at_ += size;
  return true;
}

bool ProtobufReader::next(Field& field) {
  if (at_ == end_) return false;
  const char* const start = at_;
  field.offset = static_cast<std::size_t>(start - origin_);
  std::uint64_t tag = 0;
  if (!varint(tag)) return false;
  const std::uint64_t number = tag >> 3U;
  if (number == 0 || number > kMaxFieldNumber) return fail("a field has no valid number", start);
  field.number = static_cast<std::uint32_t>(number);
  field.bytes = {};
  field.value = 0;
  switch (tag & 7U) {
    case 0:
      field.type = WireType::kVarint;
      return varint(field.value);
    case 1:
      field.type = WireType::kFixed64;
      return fixed(8, field.value);
    case 2: {
      field.type = WireType::kBytes;
      std::uint64_t length = 0;
      if (!varint(length)) return false;
      if (length > static_cast<std::uint64_t>(end_ - at_))
        return fail("a field of " + std::to_string(length) + " bytes reaches beyond its message",
                    start);
      field.bytes = {at_, static_cast<std::size_t>(length)};
      at_ += length;
      return true;
    }
    case 5:
      field.type = WireType::kFixed32;
      return fixed(4, field.value);
    case 3:
    case 4:
      return fail("a group, which OTLP does not have,", start);
    default:
      return fail("a field of an unknown wire type", start);
  }
}

}  // namespace spindle::otlp
