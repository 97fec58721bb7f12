#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "columnar/file.h"

namespace spindle::columnar {

/// The file that makes writes durable: a header, then records, each with its length and checksums.
/// Writing and reading are for one thread.
class Journal {
 public:
  /// Begins a journal in an empty file. @throws std::system_error
  Journal(std::unique_ptr<File> file, std::uint64_t generation);

  /// What a replay found.
  struct End {
    std::uint64_t bytes = 0;       ///< where the last whole record ends
    std::uint64_t records = 0;     ///< the number of the last whole one
    std::uint64_t lost_bytes = 0;  ///< damaged ones, before or between whole records
    bool torn = false;             ///< something half-written stands behind the last whole record
  };
  using Visitor = std::function<void(std::string_view record, std::uint64_t offset)>;

  /// Takes over a journal that exists: gives every whole record to the visitor, with the offset
  /// that read() takes, also those behind damage. Nothing is written; a damaged journal must not be
  /// appended to. @throws std::runtime_error when it was written by a newer program.
  Journal(std::unique_ptr<File> file,
          const std::string& path,
          std::uint64_t generation,
          const Visitor& visit,
          End& end);

  /// Appends one record; it is on disk when this returns. @return where it begins, for read().
  /// kStorageFull or kUnavailable: then the journal is as it was before.
  Result<std::uint64_t> append(std::string_view record);

  /// Bytes of a record that was appended or replayed. Fewer than asked for when the disk fails.
  std::string read(std::uint64_t offset, std::size_t count) const {
    return file_->read(offset, count);
  }

  std::uint64_t size() const { return size_; }
  /// Whether it has no record.
  bool isEmpty() const { return records_ == 0; }

  /// Cuts off what stands behind the last whole record. @throws std::system_error
  void cutTail();

  /// True when the file is so short that a crash came before its first record.
  static bool isUnbegun(const File& file);

 private:
  Result<void> goBack();

  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;
  std::uint64_t records_ = 0;
  bool spoilt_ = false;  ///< a failed record could not be cut off yet
};

}  // namespace spindle::columnar
