#pragma once

#include "app/identity_stack.h"
#include "objects/file_repository.h"
#include "objects/label_repository.h"
#include "objects/object_repository.h"
#include "objects/objects_api.h"
#include "objects/ref_reader.h"
#include "objects/table_repository.h"
#include "storage/folder_blob_store.h"

namespace spindle::app {

/// Objects, tables and files: what they are kept in and what reads them. Members are built in this
/// order and destroyed in the reverse.
class ObjectStack {
 public:
  /// Everything given must outlive this. @throws std::runtime_error with a message for the
  /// operator.
  ObjectStack(IdentityStack& identity, const storage::DataFolder& folder, const Clock& clock);

  objects::ObjectServices services();

  storage::FolderBlobStore blobs;
  objects::ObjectRepository objects;
  objects::LabelRepository labels;
  objects::TableRepository tables;
  objects::FileRepository files;
  objects::RefReader refs;

 private:
  IdentityStack& identity_;
};

}  // namespace spindle::app
