#include "training/data/training_file_store.h"

#include <utility>

#include "base/crypto/crypto.h"
#include "storage/blobs/blob_name.h"
#include "storage/blobs/blob_store.h"
#include "storage/blobs/referenced_blob.h"

namespace spindle::training {

TrainingFileWriter::TrainingFileWriter(std::unique_ptr<storage::BlobWriter> writer)
    : writer_(std::move(writer)) {}
TrainingFileWriter::~TrainingFileWriter() = default;

Result<void> TrainingFileWriter::add(std::string_view bytes) {
  md5_.add(bytes);
  size_ += static_cast<std::int64_t>(bytes.size());
  return writer_->append(bytes);
}

Result<StoredFile> TrainingFileWriter::finish() {
  const Sha256 name = TRY(writer_->finish());
  return StoredFile{storage::blobNameText(name), encodeBase64(bytesOf(md5_.finish())), size_};
}

Result<std::unique_ptr<TrainingFileWriter>> TrainingFileStore::receive() {
  std::unique_ptr<storage::BlobWriter> writer = TRY(blobs_.write());
  return std::make_unique<TrainingFileWriter>(std::move(writer));
}

Result<registry::BlobContent> TrainingFileStore::open(const std::string& blob) {
  std::unique_ptr<storage::BlobReader> reader = TRY(storage::openReferenced(blobs_, blob));
  return registry::BlobContent(std::move(reader));
}

}  // namespace spindle::training
