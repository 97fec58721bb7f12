#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/schedule_clock.h"
#include "base/sql_text.h"
#include "base/time.h"

namespace spindle::storage {

class BlobStore;
class Database;

/// A column that names blobs (blob_name.h). An area that keeps content in the blob store says so
/// with one; what no column names is nobody's.
struct BlobColumn {
  SqlName table;
  SqlName column;
};

/// Removes blobs that nobody refers to.
///
/// Bytes are always brought before the row that names them. So a blob is removed only when no row
/// names it, looked at while nobody else writes, and when nobody has brought it for the grace time:
/// an upload or a commit under way has brought what it needs a moment ago. Stopped at any point, it
/// leaves blobs that a later pass removes. One thread; blocks on the database and the store.
class BlobCollector {
 public:
  /// `database` and `blobs` outlive it. The columns must be all there are.
  BlobCollector(Database& database,
                BlobStore& blobs,
                std::vector<BlobColumn> columns,
                Clocks clocks,
                std::chrono::seconds grace);

  /// Looks at the next `shelves` of the 256 parts of the store, and begins anew behind the last.
  /// @return how many blobs it has removed; kUnavailable.
  Result<std::int64_t> collect(int shelves);

 private:
  Result<std::int64_t> collectShelf(std::uint8_t first_byte);

  Database& database_;
  BlobStore& blobs_;
  const std::vector<BlobColumn> columns_;
  const Clocks clocks_;
  const std::chrono::seconds grace_;
  std::uint8_t next_ = 0;
};

}  // namespace spindle::storage
