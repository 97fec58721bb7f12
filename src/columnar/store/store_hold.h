#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace spindle::columnar {

class Core;
class Generation;

/// A file of the store and the number of its bytes that belong to the copy.
struct HeldFile {
  std::string name;  ///< relative to the folder of the store
  std::uint64_t bytes = 0;
};

/// Returns the journal of a generation with its current length. For the thread that writes it, or
/// for any thread once the generation is sealed.
HeldFile heldJournal(const Generation& generation);

/// Keeps the files of an open store copyable while writes, reads and flushes continue.
///
/// A hold starts with a flush and a checkpoint and prevents further checkpoints. DuckDB reuses a
/// block of the last checkpoint only after the next one. Therefore the bytes that existed at the
/// start can be copied at any time during the hold. Later rows go to other blocks and to the log,
/// which are not part of the copy. Those rows are also in the journals, which only a checkpoint
/// removes. A copy of the files of mark() therefore opens as the store was at that moment.
///
/// The store must outlive the hold. Thread-safe.
class StoreHold {
 public:
  /// Starts a hold; called by Store::hold().
  static Result<std::unique_ptr<StoreHold>> begin(std::shared_ptr<Core> core);
  /// Allows checkpoints again.
  ~StoreHold();
  StoreHold(const StoreHold&) = delete;
  StoreHold& operator=(const StoreHold&) = delete;

  /// Returns the files of a copy that contains everything acknowledged before this call.
  /// @return kUnavailable when the store was reopened since the hold began.
  Result<std::vector<HeldFile>> mark();

  /// Returns an error when the store was reopened since the hold began; a copy taken since then is
  /// useless.
  Result<void> check() const;

 private:
  explicit StoreHold(std::shared_ptr<Core> core);

  const std::shared_ptr<Core> core_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace spindle::columnar
