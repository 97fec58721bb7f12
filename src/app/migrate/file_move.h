#pragma once

#include <vector>

#include "app/migrate/migrate.h"
#include "base/crypto/crypto.h"
#include "storage/blobs/blob_store.h"

namespace spindle::app {

/// The files of both sides of a move. All functions throw std::runtime_error with a message for the
/// operator.
class FileMove {
 public:
  /// Lists the files of the source. The stores must outlive this object.
  FileMove(storage::BlobStore& from, storage::BlobStore& to, const MigrateOptions& options);

  /// Copies the files that the target lacks.
  void copy();
  /// Reads all files of the target and compares them with their digests.
  StoreReport verify();

 private:
  storage::BlobStore& from_;
  storage::BlobStore& to_;
  const MigrateOptions& options_;
  const std::vector<Sha256> names_;
};

}  // namespace spindle::app
