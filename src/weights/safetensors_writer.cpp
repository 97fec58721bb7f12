#include "weights/safetensors_writer.h"

#include <string_view>
#include <utility>

#include "base/check.h"
#include "json/writer.h"

namespace spindle::weights {
namespace {

constexpr std::size_t kAlignment = 8;
constexpr std::size_t kLengthBytes = 8;

std::string_view nameOf(TensorType type) {
  switch (type) {
    case TensorType::kF16:
      return "F16";
    case TensorType::kBf16:
      return "BF16";
    default:
      return "F32";
  }
}

}  // namespace

void SafeTensorsWriter::addTensor(TensorInfo info, ByteSource source) {
  SPINDLE_ASSERT(info.type == TensorType::kF32 || info.type == TensorType::kF16 ||
                     info.type == TensorType::kBf16,
                 "only plain numbers are written");
  const std::uint64_t bytes = bytesOf(info).value_or(0);
  tensors_.push_back({std::move(info), bytes, std::move(source)});
}

std::string SafeTensorsWriter::header() const {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("__metadata__").beginObject().key("format").string("pt").endObject();
  std::uint64_t at = 0;
  for (const Tensor& tensor : tensors_) {
    out.key(tensor.info.name).beginObject().key("dtype").string(nameOf(tensor.info.type));
    out.key("shape").beginArray();
    for (const std::uint64_t length : tensor.info.shape) {
      out.integer(static_cast<std::int64_t>(length));
    }
    out.endArray().key("data_offsets").beginArray();
    out.integer(static_cast<std::int64_t>(at));
    at += tensor.bytes;
    out.integer(static_cast<std::int64_t>(at)).endArray().endObject();
  }
  out.endObject();
  while (text.size() % kAlignment != 0) text += ' ';
  return text;
}

std::uint64_t SafeTensorsWriter::size() const {
  std::uint64_t bytes = kLengthBytes + header().size();
  for (const Tensor& tensor : tensors_) bytes += tensor.bytes;
  return bytes;
}

Result<void> SafeTensorsWriter::writeTo(const ByteSink& sink) const {
  const std::string head = header();
  std::string length;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length += static_cast<char>(static_cast<std::uint64_t>(head.size()) >> (8 * i) & 0xFFU);
  }
  if (Result<void> sent = sink(length); !sent) return sent;
  if (Result<void> sent = sink(head); !sent) return sent;
  for (const Tensor& tensor : tensors_) {
    std::uint64_t bytes = 0;
    const ByteSink counted = [&](std::string_view piece) -> Result<void> {
      bytes += piece.size();
      return sink(piece);
    };
    if (Result<void> sent = tensor.source(counted); !sent) return sent;
    if (bytes != tensor.bytes) {
      return Error::invalidArgument("The tensor " + tensor.info.name + " has the wrong size.");
    }
  }
  return {};
}

}  // namespace spindle::weights
