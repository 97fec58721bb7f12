#pragma once

#include <string>
#include <vector>

#include "app/migrate/migrate.h"
#include "base/core/time.h"
#include "storage/copy/table_list.h"
#include "storage/database/database.h"

namespace spindle::app {

/// The metadata of both sides of a move. All functions throw std::runtime_error with a message for
/// the operator.
class MetadataMove {
 public:
  /// `keep_bucket`: both sides have the same S3 bucket, so the rows of its blobs are moved too.
  /// The databases must outlive this object.
  MetadataMove(storage::Database& from,
               storage::Database& to,
               bool keep_bucket,
               const MigrateOptions& options);

  /// Checks that the source has the schema of this program.
  void checkSource(const std::string& name);
  /// Makes the target ready for a move from `source`: creates its tables, or checks that an
  /// unfinished move from the same source created them. @return false if an earlier run did this.
  bool prepareTarget(const std::string& name, const std::string& source, Timestamp now);
  /// Copies the rows that the target lacks.
  void copy();
  StoreReport verify();
  /// Lets servers start on the target.
  void finish(Timestamp now);

 private:
  std::int64_t countRows();

  storage::Database& from_;
  storage::Database& to_;
  const bool keep_bucket_;
  const MigrateOptions& options_;
  std::vector<storage::Table> tables_;  ///< to be moved
};

}  // namespace spindle::app
