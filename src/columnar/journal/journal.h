#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "columnar/journal/file.h"

namespace spindle::columnar {

/// The write-ahead file that makes writes durable: a header, then records with length and
/// checksums. For one thread.
class Journal {
 public:
  /// Starts a journal in an empty file. @throws std::system_error
  Journal(std::unique_ptr<File> file, std::uint64_t generation);

  /// Result of a replay.
  struct End {
    std::uint64_t bytes = 0;       ///< end of the last complete record
    std::uint64_t records = 0;     ///< number of the last complete record
    std::uint64_t lost_bytes = 0;  ///< of damaged records before or between complete ones
    bool torn = false;             ///< an incomplete record follows the last complete one
  };
  using Visitor = std::function<void(std::string_view record, std::uint64_t offset)>;

  /// Opens an existing journal. Passes every complete record to the visitor with its offset for
  /// read(), including those after damage. Writes nothing; a damaged journal must not be appended
  /// to. @throws std::runtime_error when a newer program wrote it.
  Journal(std::unique_ptr<File> file,
          const std::string& path,
          std::uint64_t generation,
          const Visitor& visit,
          End& end);

  /// Appends one record; it is on disk when the call returns. @return the offset of the record for
  /// read(). After kStorageFull or kUnavailable the journal is unchanged.
  Result<std::uint64_t> append(std::string_view record);

  /// Returns bytes of an appended or replayed record; fewer than `count` when the disk fails.
  std::string read(std::uint64_t offset, std::size_t count) const {
    return file_->read(offset, count);
  }

  std::uint64_t size() const { return size_; }
  /// Returns true if the journal has no record.
  bool isEmpty() const { return records_ == 0; }

  /// Truncates the file after the last complete record. @throws std::system_error
  void truncateTail();

  /// Returns true if the file is too short to contain a record, because of a crash before the first
  /// one.
  static bool hasNoRecords(const File& file);

 private:
  Result<void> truncateFailedRecord();

  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;
  std::uint64_t records_ = 0;
  bool has_failed_record_ = false;  ///< a failed record has not been truncated yet
};

}  // namespace spindle::columnar
