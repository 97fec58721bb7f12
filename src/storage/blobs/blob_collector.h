#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/core/result.h"
#include "base/core/schedule_clock.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"

namespace spindle::storage {

class BlobStore;
class Database;

/// A column that contains blob names (blob_name.h). Every area that stores content in the blob
/// store declares its columns. A blob that no column names has no owner.
struct BlobColumn {
  SqlName table;
  SqlName column;
};

/// Deletes blobs that no row refers to.
///
/// An area always writes the bytes before the row that names them. The collector deletes a blob
/// only if no row names it, checked while nobody else writes, and if nobody has written it or put
/// it again for the grace period: a running upload or commit has written its blobs shortly before.
/// If stopped at any point, it leaves blobs that a later pass deletes. One thread; blocks on the
/// database and the store.
class BlobCollector {
 public:
  /// `database` and `blobs` must outlive the collector. `columns` must be complete.
  BlobCollector(Database& database,
                BlobStore& blobs,
                std::vector<BlobColumn> columns,
                Clocks clocks,
                std::chrono::seconds grace);

  /// Processes that many of the 256 parts of the store, and starts again after the last part.
  /// @return the number of deleted blobs; kUnavailable.
  Result<std::int64_t> collect(int parts);

 private:
  Result<std::int64_t> collectPart(std::uint8_t first_byte);

  Database& database_;
  BlobStore& blobs_;
  const std::vector<BlobColumn> columns_;
  const Clocks clocks_;
  const std::chrono::seconds grace_;
  std::uint8_t next_ = 0;
};

}  // namespace spindle::storage
