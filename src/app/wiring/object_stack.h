#pragma once

#include <memory>

#include "app/wiring/identity_stack.h"
#include "objects/api/objects_api.h"
#include "objects/store/file_repository.h"
#include "objects/store/label_repository.h"
#include "objects/store/object_repository.h"
#include "objects/store/ref_reader.h"
#include "objects/store/table_repository.h"
#include "storage/blobs/blob_store.h"

namespace spindle::app {

/// Repositories and readers of objects, tables and files. Members are constructed in this order and
/// destroyed in reverse.
class ObjectStack {
 public:
  /// All arguments must outlive this object. @throws std::runtime_error with a message for the
  /// operator.
  ObjectStack(const StackContext& context, IdentityStack& identity);

  objects::ObjectServices services();

  const std::unique_ptr<storage::BlobStore> blob_store;
  storage::BlobStore& blobs;
  objects::ObjectRepository objects;
  objects::LabelRepository labels;
  objects::TableRepository tables;
  objects::FileRepository files;
  objects::RefReader refs;

 private:
  IdentityStack& identity_;
};

}  // namespace spindle::app
