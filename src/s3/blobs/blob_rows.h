#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "storage/blobs/blob_store.h"

namespace spindle::storage {
class Database;
class Session;
}  // namespace spindle::storage

namespace spindle::s3 {

/// The rows of blobs in the metadata database. They order the writers and the collectors of all
/// nodes:
///
/// - put: reserve() commits the row, then the object is written. An object without a row is
///   therefore left only by a write that the server finished after its client had given up, or by a
///   restored database; comparison of the bucket with the rows finds it.
/// - collection: markErasing() commits the mark together with the check that nothing refers to the
///   blob, then the object is deleted, then forget() deletes the row.
/// - reserve() refuses a marked blob, so that no deletion follows a write. Only after kTakeover may
///   another process continue for one that died: that is longer than a process may take from the
///   mark to the end of its request (kErasingLimit), plus the clock difference of two nodes that S3
///   servers tolerate.
///
/// Thread-safe; blocks.
class BlobRows {
 public:
  static constexpr std::chrono::minutes kErasingLimit{5};
  static constexpr std::chrono::minutes kTakeover{40};
  /// A blob that was put so recently is not recorded again.
  static constexpr std::chrono::seconds kRecent{60};

  /// `database` and `clock` must outlive this object.
  BlobRows(storage::Database& database, const Clock& clock);

  enum class Reservation {
    kNew,      ///< no row existed
    kKnown,    ///< a row existed: the object probably exists
    kErasing,  ///< the blob is being deleted: try again
  };
  /// Records that a blob is put now.
  Result<Reservation> reserve(const Sha256& name);

  /// Marks a blob that was last put before `before`, in the transaction of the caller.
  /// @return true if the blob exists and was not marked before.
  Result<bool> markErasing(storage::Session& session, const Sha256& name, Timestamp before);
  /// Marks a blob of any age, also one without a row.
  Result<void> markErasing(const Sha256& name);

  struct Erasure {
    Sha256 name{};
    Timestamp since;
  };
  /// Returns the marked blobs whose objects this process must delete: its own, and those of
  /// processes that died.
  Result<std::vector<Erasure>> erasures(std::uint8_t first_byte);
  /// Deletes the row after its object.
  Result<void> forget(const Erasure& erasure);

  /// Returns the blobs that are not marked.
  Result<std::vector<storage::StoredBlob>> list(std::uint8_t first_byte);

  /// Returns the token of this database, the same for all nodes. Creates it if there is none.
  Result<std::string> owner();

  /// Adds rows for objects without one. They count as put now, so that the grace period begins.
  /// @return the number of added rows.
  Result<std::int64_t> adopt(const std::vector<Sha256>& names);
  /// Returns true if a part of the bucket was not compared with the rows for `interval`.
  Result<bool> comparisonDue(std::uint8_t first_byte, std::chrono::hours interval);
  Result<void> recordComparison(std::uint8_t first_byte);

 private:
  storage::Database& database_;
  const Clock& clock_;
  const std::string eraser_;  ///< identifies this process
};

/// Parses 64 hexadecimal digits in lower case. Returns nothing for other text.
std::optional<Sha256> parseHexName(std::string_view digits);

}  // namespace spindle::s3
