#include "weights/formats/safetensors_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/core/check.h"
#include "weights/formats/safetensors_types.h"

namespace spindle::weights {
namespace {

constexpr std::size_t kHeaderAlignment = 8;
constexpr std::size_t kLengthBytes = 8;

std::string_view dtypeOf(TensorType type) {
  const auto* const found =
      std::find_if(kSafeTensorsTypes.begin(), kSafeTensorsTypes.end(),
                   [type](const SafeTensorsType& known) { return known.type == type; });
  SPINDLE_ASSERT(found != kSafeTensorsTypes.end(), "safetensors files have such a type");
  return found->name;
}

}  // namespace

void SafeTensorsWriter::addTensor(TensorInfo info, ByteSource source) {
  SPINDLE_ASSERT(info.type == TensorType::kF32 || info.type == TensorType::kF16 ||
                     info.type == TensorType::kBf16,
                 "SafeTensorsWriter writes F32, F16 and BF16");
  SPINDLE_ASSERT(info.name.find_first_of("\"\\") == std::string::npos,
                 "tensor names need no JSON escaping");
  const std::uint64_t bytes = bytesOf(info).value_or(0);
  tensors_.push_back({std::move(info), bytes, std::move(source)});
}

std::string SafeTensorsWriter::header() const {
  // Written without the JSON library: the names need no escaping, and the stand-alone pretraining
  // build does not contain that library.
  std::string text = R"({"__metadata__":{"format":"pt"})";
  std::uint64_t at = 0;
  for (const Tensor& tensor : tensors_) {
    std::string shape;
    for (const std::uint64_t length : tensor.info.shape)
      shape.append(shape.empty() ? "" : ",").append(std::to_string(length));
    text.append(",\"").append(tensor.info.name).append(R"(":{"dtype":")");
    text.append(dtypeOf(tensor.info.type)).append(R"(","shape":[)").append(shape);
    text.append(R"(],"data_offsets":[)").append(std::to_string(at)).append(",");
    at += tensor.bytes;
    text.append(std::to_string(at)).append("]}");
  }
  text += '}';
  while (text.size() % kHeaderAlignment != 0) text += ' ';
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
  TRY(sink(length));
  TRY(sink(head));
  for (const Tensor& tensor : tensors_) {
    std::uint64_t bytes = 0;
    const ByteSink counted = [&](std::string_view piece) -> Result<void> {
      bytes += piece.size();
      return sink(piece);
    };
    TRY(tensor.source(counted));
    if (bytes != tensor.bytes) {
      return Error::invalidArgument("The tensor " + tensor.info.name + " has the wrong size.");
    }
  }
  return {};
}

}  // namespace spindle::weights
