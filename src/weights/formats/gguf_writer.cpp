#include "weights/formats/gguf_writer.h"

#include <optional>
#include <utility>

#include "base/process/durable_file.h"
#include "weights/formats/append_bytes.h"
#include "weights/formats/gguf_file.h"

namespace spindle::weights {
namespace {

constexpr std::uint64_t kGgufAlignment = 32;
constexpr std::uint32_t kVersion = 3;

void putText(std::string& out, std::string_view text) {
  appendBytes<std::uint64_t>(out, text.size());
  out += text;
}

std::uint64_t padded(std::uint64_t size) {
  return (size + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment;
}

std::uint32_t numberOf(GgufType type) { return static_cast<std::uint32_t>(type); }

}  // namespace

void GgufWriter::addKey(std::string_view key, std::uint32_t type) {
  putText(values_, key);
  appendBytes(values_, type);
  ++count_;
}

void GgufWriter::addArray(std::string_view key, std::uint32_t type, std::size_t count) {
  addKey(key, numberOf(GgufType::kArray));
  appendBytes(values_, type);
  appendBytes<std::uint64_t>(values_, count);
}

void GgufWriter::addText(std::string_view key, std::string_view value) {
  addKey(key, numberOf(GgufType::kText));
  putText(values_, value);
}

void GgufWriter::addU32(std::string_view key, std::uint32_t value) {
  addKey(key, numberOf(GgufType::kU32));
  appendBytes(values_, value);
}

void GgufWriter::addF32(std::string_view key, float value) {
  addKey(key, numberOf(GgufType::kF32));
  appendBytes(values_, value);
}

void GgufWriter::addBool(std::string_view key, bool value) {
  addKey(key, numberOf(GgufType::kBool));
  appendBytes<std::uint8_t>(values_, value ? 1 : 0);
}

void GgufWriter::addTexts(std::string_view key, const std::vector<std::string>& values) {
  addArray(key, numberOf(GgufType::kText), values.size());
  for (const std::string& value : values) putText(values_, value);
}

void GgufWriter::addI32s(std::string_view key, const std::vector<std::int32_t>& values) {
  addArray(key, numberOf(GgufType::kI32), values.size());
  for (const std::int32_t value : values) appendBytes(values_, value);
}

void GgufWriter::addTensor(TensorInfo info, ByteSource source) {
  tensors_.push_back({std::move(info), std::move(source)});
}

Result<void> GgufWriter::writeTo(const std::string& path) const {
  std::string head = "GGUF";
  appendBytes(head, kVersion);
  appendBytes<std::uint64_t>(head, tensors_.size());
  appendBytes(head, count_);
  head += values_;
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    const std::optional<std::uint64_t> bytes = bytesOf(tensor.info);
    if (!bytes)
      return Error::invalidArgument("The tensor " + tensor.info.name +
                                    " has an unsupported type or shape.");
    putText(head, tensor.info.name);
    appendBytes(head, static_cast<std::uint32_t>(tensor.info.shape.size()));
    for (auto size = tensor.info.shape.rbegin(); size != tensor.info.shape.rend(); ++size)
      appendBytes(head, *size);
    appendBytes(head, static_cast<std::uint32_t>(tensor.info.type));
    appendBytes(head, offset);
    offset += padded(*bytes);
  }
  head.resize(padded(head.size()));

  const std::string unfinished = path + ".new";
  FileWriter file;
  TRY(file.open(unfinished));
  TRY(file.add(head));
  for (const Tensor& tensor : tensors_) {
    const std::uint64_t expected = *bytesOf(tensor.info);
    std::uint64_t given = 0;
    TRY(tensor.source([&](std::string_view bytes) {
      given += bytes.size();
      return file.add(bytes);
    }));
    if (given != expected) {
      return Error::invalidArgument("The tensor " + tensor.info.name + " has " +
                                    std::to_string(given) + " bytes, not " +
                                    std::to_string(expected) + ".");
    }
    const std::string padding(padded(expected) - expected, '\0');
    TRY(file.add(padding));
  }
  TRY(file.close());
  return moveIntoPlace(unfinished, path);
}

}  // namespace spindle::weights
