#include "inference/model_files/model_file_receiver.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "inference/model_files/model_file.h"
#include "storage/blobs/blob_name.h"

namespace spindle::inference {
namespace {

constexpr std::string_view kMagic = "GGUF";

Error noModelFile(std::string_view why) {
  return Error(ErrorCode::kUnprocessable, why).because("not_a_model_file");
}

}  // namespace

ModelFileReceiver::~ModelFileReceiver() {
  std::error_code ignored;
  std::filesystem::remove(header_path_, ignored);
}

Result<void> ModelFileReceiver::add(std::string_view bytes) {
  if (received_ + bytes.size() > expected_.most) {
    return Error(ErrorCode::kTooLarge, "The model file is larger than " +
                                           std::to_string(expected_.most) +
                                           " bytes (inference.model_file_limit).");
  }
  if (received_ < kMagic.size()) {
    const std::string_view due = kMagic.substr(received_);
    const std::size_t known = std::min(due.size(), bytes.size());
    if (bytes.substr(0, known) != due.substr(0, known)) {
      return noModelFile("The file is not a GGUF file: it does not begin with GGUF.");
    }
  }
  TRY(addToHeader(bytes));
  received_ += bytes.size();
  if (expected_.digest) digest_.add(bytes);
  return writer_->append(bytes);
}

Result<void> ModelFileReceiver::addToHeader(std::string_view bytes) {
  if (in_header_ == kMostHeader) return {};
  if (received_ == 0) {
    TRY(header_.open(header_path_));
  }
  const std::string_view part = bytes.substr(0, static_cast<std::size_t>(kMostHeader - in_header_));
  in_header_ += part.size();
  return header_.add(part);
}

Result<std::uint64_t> ModelFileReceiver::checkHeader() {
  TRY(header_.close());
  std::error_code failed;
  // The data of the tensors is not needed: a hole of its size replaces it.
  std::filesystem::resize_file(header_path_, received_, failed);
  if (failed) return Error::unavailable("The model file cannot be checked.");
  const Result<weights::GgufFile> file = openModelFile(header_path_);
  std::uint64_t data = 0;
  if (file) {
    for (const weights::StoredTensor& tensor : file->tensors()) data += tensor.data.size();
  }
  if (received_ > kMostHeader && (!file || received_ - data > kMostHeader)) {
    return noModelFile("The metadata of the file is damaged or larger than 64 MiB.");
  }
  if (!file) return noModelFile(file.error().message());
  if (!file->text("general.architecture")) {
    return noModelFile("The GGUF file has no architecture: it is not a model.");
  }
  if (file->tensors().empty()) return noModelFile("The GGUF file contains no tensors.");
  return received_ - data;
}

Result<StoredModelFile> ModelFileReceiver::finish() {
  if (received_ < kMagic.size()) {
    return noModelFile("The file is not a GGUF file: it ends too early.");
  }
  if (expected_.bytes && *expected_.bytes != received_) {
    return Error(ErrorCode::kUnprocessable, "The file has another size than the request says.")
        .because("size_mismatch");
  }
  if (expected_.digest && digest_.finish() != *expected_.digest) {
    return Error(ErrorCode::kUnprocessable, "The SHA-256 of the file differs from the request.")
        .because("sha256_mismatch");
  }
  const std::uint64_t header = TRY(checkHeader());
  const Sha256 name = TRY(writer_->finish());
  StoredModelFile file;
  file.blob = storage::blobNameText(name);
  file.bytes = static_cast<std::int64_t>(received_);
  file.header_bytes = static_cast<std::int64_t>(header);
  return file;
}

}  // namespace spindle::inference
