#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/crypto/crypto.h"
#include "base/process/durable_file.h"
#include "inference/catalogue/catalogue.h"
#include "storage/blobs/blob_store.h"

namespace spindle::inference {

/// The properties that an uploaded file must have.
struct ExpectedModelFile {
  std::uint64_t most = 0;                   ///< maximum size in bytes
  std::optional<Sha256> digest = {};        ///< SHA-256 of the file, if the client has named it
  std::optional<std::uint64_t> bytes = {};  ///< size of the file, if the client has named it
};

/// Receives a model file piece by piece into the blob store, in little memory. The metadata and the
/// tensor list at the start of the file are also written to a temporary file, and checked before
/// the content is stored. Not thread-safe; calls block. Destroyed without finish(), it leaves
/// nothing behind.
class ModelFileReceiver {
 public:
  /// Maximum size of the metadata and the tensor list.
  static constexpr std::uint64_t kMostHeader = 64UL << 20;

  /// @param header_path path of the temporary file, where no file exists yet
  ModelFileReceiver(std::unique_ptr<storage::BlobWriter> writer,
                    std::string header_path,
                    const ExpectedModelFile& expected)
      : writer_(std::move(writer)), header_path_(std::move(header_path)), expected_(expected) {}
  ~ModelFileReceiver();
  ModelFileReceiver(const ModelFileReceiver&) = delete;
  ModelFileReceiver& operator=(const ModelFileReceiver&) = delete;

  /// @return kTooLarge; kUnprocessable (`not_a_model_file`) if the file does not begin as a GGUF
  /// file; kStorageFull, kUnavailable.
  Result<void> add(std::string_view bytes);
  /// Checks the file and stores it; it is durable when the call returns.
  /// @return kUnprocessable (`size_mismatch`, `sha256_mismatch`, `not_a_model_file`);
  /// kStorageFull, kUnavailable.
  Result<StoredModelFile> finish();

 private:
  Result<void> addToHeader(std::string_view bytes);
  /// Returns the size of the metadata and the tensor list.
  Result<std::uint64_t> checkHeader();

  const std::unique_ptr<storage::BlobWriter> writer_;
  const std::string header_path_;
  const ExpectedModelFile expected_;
  FileWriter header_;
  std::uint64_t received_ = 0;
  std::uint64_t in_header_ = 0;
  Sha256Stream digest_;
};

}  // namespace spindle::inference
