#include "columnar/journal/journal.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <zlib.h>

#include "base/core/little_endian.h"
#include "columnar/journal/disk_space.h"
#include "columnar/journal/log.h"

namespace spindle::columnar {
namespace {

constexpr std::string_view kMagic = "SPNDLJNL";
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kFileHeader = 24;    // magic, format, checksum, generation
constexpr std::size_t kRecordHeader = 20;  // length, checksum, number, checksum of these three
constexpr std::size_t kScanStep = 4UL << 20;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string fileHeader(std::uint64_t generation) {
  std::string tail;
  putLittleEndian(tail, generation);
  std::string header(kMagic);
  putLittleEndian(header, kFormat);
  putLittleEndian(header, checksum(tail));
  return header + tail;
}

struct RecordHeader {
  std::uint32_t length = 0;
  std::uint32_t sum = 0;
  std::uint64_t number = 0;
};

std::string encoded(const RecordHeader& header) {
  std::string bytes;
  putLittleEndian(bytes, header.length);
  putLittleEndian(bytes, header.sum);
  putLittleEndian(bytes, header.number);
  putLittleEndian(bytes, checksum(bytes));
  return bytes;
}

std::optional<RecordHeader> headerAt(std::string_view bytes) {
  if (bytes.size() < kRecordHeader) return std::nullopt;
  const std::string_view sealed = bytes.substr(0, kRecordHeader - 4);
  if (littleEndianAt<std::uint32_t>(bytes, kRecordHeader - 4) != checksum(sealed))
    return std::nullopt;
  return RecordHeader{littleEndianAt<std::uint32_t>(bytes, 0),
                      littleEndianAt<std::uint32_t>(bytes, 4),
                      littleEndianAt<std::uint64_t>(bytes, 8)};
}

struct FoundRecord {
  std::uint64_t offset = 0;  ///< of its header
  RecordHeader header;
};

/// Returns true if the record of a valid header is complete.
bool isWhole(const File& file, std::uint64_t offset, const RecordHeader& header) {
  if (offset + kRecordHeader + header.length > file.size()) return false;
  const std::unique_ptr<FileView> record = file.view(offset + kRecordHeader, header.length);
  return record != nullptr && checksum(record->bytes()) == header.sum;
}

/// Returns the first complete record at or after `from` with a number above `after`. A later record
/// proves that unreadable bytes before it are damage and not a torn write, because a record is
/// written only after the previous one is on disk.
std::optional<FoundRecord> laterRecord(const File& file, std::uint64_t from, std::uint64_t after) {
  for (std::uint64_t at = from;; at += kScanStep) {
    const std::string bytes = file.read(at, kScanStep + kRecordHeader);
    if (bytes.size() < kRecordHeader) return std::nullopt;
    const std::size_t last = std::min(bytes.size() - kRecordHeader, kScanStep - 1);
    for (std::size_t i = 0; i <= last; ++i) {
      const std::optional<RecordHeader> header = headerAt(std::string_view(bytes).substr(i));
      if (!header || header->number <= after || header->length == 0) continue;
      if (isWhole(file, at + i, *header)) return FoundRecord{at + i, *header};
    }
  }
}

/// @throws std::runtime_error
void checkFormat(const std::string& header, const std::string& path) {
  if (header.size() < kFileHeader || header.substr(0, kMagic.size()) != kMagic) return;
  if (littleEndianAt<std::uint32_t>(header, kMagic.size()) > kFormat) {
    throw std::runtime_error(path + " was written by a newer version of Spindle: use that one");
  }
}

Error errorOf(int problem) {
  kLog.error("journal_failed", {{"message", std::generic_category().message(problem)}});
  if (isDiskFull(problem)) return diskFull();
  return Error::unavailable("The trace store cannot write to its disk; nothing was stored.");
}

}  // namespace

Journal::Journal(std::unique_ptr<File> file, std::uint64_t generation)
    : file_(std::move(file)), size_(kFileHeader) {
  int problem = file_->write(0, fileHeader(generation));
  if (problem == 0) problem = file_->sync();
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "journal");
}

Journal::Journal(std::unique_ptr<File> file,
                 const std::string& path,
                 std::uint64_t generation,
                 const Visitor& visit,
                 End& end)
    : file_(std::move(file)), size_(kFileHeader) {
  const std::string header = file_->read(0, kFileHeader);
  checkFormat(header, path);
  if (header != fileHeader(generation)) end.lost_bytes += kFileHeader;
  while (true) {
    std::optional<RecordHeader> next = headerAt(file_->read(size_, kRecordHeader));
    if (!next || next->number != records_ + 1 || !isWhole(*file_, size_, *next)) {
      const std::optional<FoundRecord> later = laterRecord(*file_, size_ + 1, records_);
      if (!later) break;
      end.lost_bytes += later->offset - size_;
      size_ = later->offset;
      next = later->header;
    }
    const std::unique_ptr<FileView> record = file_->view(size_ + kRecordHeader, next->length);
    visit(record->bytes(), size_ + kRecordHeader);
    size_ += kRecordHeader + next->length;
    records_ = next->number;
  }
  end.bytes = size_;
  end.records = records_;
  end.torn = file_->size() > size_;
}

bool Journal::hasNoRecords(const File& file) { return file.size() <= kFileHeader; }

void Journal::truncateTail() {
  int problem = file_->truncate(size_);
  if (problem == 0) problem = file_->sync();
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "journal");
}

Result<void> Journal::truncateFailedRecord() {
  int problem = file_->truncate(size_);
  if (problem == 0) problem = file_->sync();
  has_failed_record_ = problem != 0;
  if (has_failed_record_) return errorOf(problem);
  return {};
}

Result<std::uint64_t> Journal::append(std::string_view record) {
  if (has_failed_record_) {
    TRY(truncateFailedRecord());
  }
  std::string bytes =
      encoded({static_cast<std::uint32_t>(record.size()), checksum(record), records_ + 1});
  bytes += record;
  int problem = file_->write(size_, bytes);
  if (problem == 0) problem = file_->sync();
  if (problem != 0) {
    Error error = errorOf(problem);
    if (const Result<void> back = truncateFailedRecord(); !back) {
      // Retried before the next record; until then append() fails.
    }
    return error;
  }
  const std::uint64_t begin = size_ + kRecordHeader;
  size_ += bytes.size();
  ++records_;
  return begin;
}

}  // namespace spindle::columnar
