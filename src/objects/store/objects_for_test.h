#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "identity/store/identity_for_test.h"
#include "objects/store/file_repository.h"
#include "objects/store/label_repository.h"
#include "objects/store/migrations.h"
#include "objects/store/object_repository.h"
#include "objects/store/ref_reader.h"
#include "objects/store/table_repository.h"
#include "objects/values/digest.h"
#include "objects/values/object_value.h"
#include "storage/blobs/folder_blob_store.h"

namespace spindle::objects {

using Texts = std::vector<std::string>;

/// Fixture: the repositories of this area over a new database of the engine under test, with a team
/// `acme` and its project `lab`.
class ObjectsContract : public identity::IdentityTest {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema(), objectsSchema()}, clock_.now());
    lead_ = person("lead");
    const identity::Team acme = team("acme", lead_);
    project_ = project(acme, "lab", lead_).id;
    other_ = project(acme, "other", lead_).id;
  }

  /// Publishes a value one second after the last one. @return its digest.
  std::string publish(const std::string& object_id, const std::string& value) {
    const NewObject object = objectOf(object_id, value);
    EXPECT_TRUE(objects_.publish(object)) << value;
    return object.digest;
  }
  NewObject objectOf(const std::string& object_id, const std::string& value) {
    clock_.advance(std::chrono::seconds(1));
    const ValueDigest digest = valueDigest(value);
    NewObject object;
    object.project_id = project_;
    object.object_id = object_id;
    object.value = value;
    object.digest = digest.digest;
    object.size_bytes = static_cast<std::int64_t>(digest.size);
    object.classes = classesOf(value);
    object.user_id = lead_.id;
    return object;
  }

  /// Stores a table of these rows. @return its digest.
  std::string storeTable(const std::vector<std::string>& values) {
    std::vector<NewRow> rows;
    std::vector<std::string> digests;
    for (const std::string& value : values) {
      const ValueDigest digest = valueDigest(value);
      rows.push_back({digest.digest, value, static_cast<std::int64_t>(digest.size)});
      digests.push_back(digest.digest);
    }
    std::string digest = tableDigest(digests);
    EXPECT_TRUE(tables_.create(project_, digest, digests, rows));
    return digest;
  }

  identity::User lead_;
  std::string project_;
  std::string other_;
  storage::FolderForTest folder_;
  storage::FolderBlobStore blobs_{folder_.path() + "/files"};
  ObjectRepository objects_{*database_, clock_};
  LabelRepository labels_{*database_};
  TableRepository tables_{*database_, clock_};
  FileRepository files_{*database_, blobs_, clock_};
  RefReader refs_{objects_, tables_};
};

}  // namespace spindle::objects
