#include "otlp/export_response.h"

#include <cstdint>
#include <string_view>

#include "json/writer.h"

namespace spindle::otlp {
namespace {

constexpr char kVarintField1 = 0x08;
constexpr char kBytesField1 = 0x0A;
constexpr char kBytesField2 = 0x12;

void appendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void appendBytes(std::string& out, char tag, std::string_view bytes) {
  out += tag;
  appendVarint(out, bytes.size());
  out += bytes;
}

}  // namespace

void Rejections::add(std::string_view reason, std::size_t spans) {
  if (reason.size() > kMaxReason) {
    std::size_t end = kMaxReason;
    while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0U) == 0x80U) --end;
    reason = reason.substr(0, end);
  }
  spans_ += spans;
  ++reasons_;
  if (reasons_ <= kMaxReportedReasons) message_.append(message_.empty() ? "" : "; ").append(reason);
  if (reasons_ == kMaxReportedReasons + 1) message_ += "; ...";
}

std::string protobufResponse(const Rejections& rejections) {
  if (rejections.none()) return {};
  std::string partial(1, kVarintField1);
  appendVarint(partial, rejections.spans());
  appendBytes(partial, kBytesField2, rejections.message());
  std::string out;
  appendBytes(out, kBytesField1, partial);
  return out;
}

std::string jsonResponse(const Rejections& rejections) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  if (!rejections.none()) {
    out.key("partialSuccess").beginObject();
    // 64-bit integers are strings in the JSON of Protocol Buffers.
    out.key("rejectedSpans").string(std::to_string(rejections.spans()));
    out.key("errorMessage").string(rejections.message());
    out.endObject();
  }
  out.endObject();
  return text;
}

}  // namespace spindle::otlp
