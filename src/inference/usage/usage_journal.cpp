#include "inference/usage/usage_journal.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <zlib.h>

#include "base/core/check.h"
#include "base/core/little_endian.h"
#include "columnar/journal/disk_space.h"
#include "columnar/journal/file.h"
#include "inference/usage/log.h"
#include "inference/usage/usage_codec.h"

namespace spindle::inference {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "SPNDLUSG";
constexpr std::uint32_t kFormat = 1;
/// Magic, format, first group, checksum; at kMark: the last group that is stored, checksum.
constexpr std::size_t kHeader = 4096;
constexpr std::size_t kHeaderUsed = 24;
constexpr std::size_t kMark = 512;
constexpr std::size_t kMarkUsed = 12;
constexpr std::size_t kGroupHeader = 16;  // number, length, checksum
constexpr std::size_t kMostRead = 64UL * 1024 * 1024;
constexpr std::size_t kZeros = 64UL * 1024;
/// The maximum number of groups that damage can hide within one segment; more than a segment holds.
constexpr std::uint64_t kMostMissing = 1'000'000;

std::uint32_t checksum(std::uint64_t seed, std::string_view bytes) {
  std::string salt;
  putLittleEndian(salt, seed);
  const auto start = ::crc32_z(0, reinterpret_cast<const Bytef*>(salt.data()), salt.size());
  return static_cast<std::uint32_t>(
      ::crc32_z(start, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string headerOf(std::uint64_t first) {
  std::string header(kMagic);
  putLittleEndian(header, kFormat);
  putLittleEndian(header, first);
  putLittleEndian(header, checksum(0, header));
  return header;
}

std::string markOf(std::uint64_t first, std::uint64_t stored) {
  std::string mark;
  putLittleEndian(mark, stored);
  putLittleEndian(mark, checksum(first, mark));
  return mark;
}

/// Encodes a group. The checksum includes the segment's first number, so that bytes of an earlier
/// use of the file are never read as a group.
std::string groupOf(std::uint64_t first, std::uint64_t number, std::string_view payload) {
  std::string bytes;
  bytes.reserve(kGroupHeader + payload.size());
  putLittleEndian(bytes, number);
  putLittleEndian(bytes, static_cast<std::uint32_t>(payload.size()));
  std::uint32_t sum = checksum(first, bytes);
  sum = checksum(sum, payload);
  putLittleEndian(bytes, sum);
  bytes += payload;
  return bytes;
}

/// Returns the payload of the group at the front of `bytes`, or nothing.
std::optional<std::string_view> payloadAt(std::string_view bytes, std::uint64_t first) {
  if (bytes.size() < kGroupHeader) return std::nullopt;
  const auto length = littleEndianAt<std::uint32_t>(bytes, 8);
  if (length == 0 || length > bytes.size() - kGroupHeader) return std::nullopt;
  if (length > UsageJournal::kMostGroupBytes) return std::nullopt;
  const std::string_view payload = bytes.substr(kGroupHeader, length);
  const std::uint32_t sum = checksum(checksum(first, bytes.substr(0, 12)), payload);
  if (littleEndianAt<std::uint32_t>(bytes, 12) != sum) return std::nullopt;
  return payload;
}

Error errorOf(int problem) {
  if (columnar::isDiskFull(problem)) return columnar::diskFull();
  return Error::unavailable("Usage cannot be written to the server's disk.");
}

}  // namespace

UsageJournal::UsageJournal(Options options) : options_(std::move(options)) {
  std::error_code problem;
  fs::create_directories(options_.folder, problem);
  if (!problem) fs::permissions(options_.folder, fs::perms::owner_all, problem);
  if (problem) {
    throw std::runtime_error("cannot use " + options_.folder + ": " + problem.message());
  }
  recover();
}

UsageJournal::~UsageJournal() {
  // All groups are stored; no file is needed for recovery.
  const MutexLock lock(mutex_);
  if (stored_ + 1 < next_) return;
  std::error_code ignored;
  for (const Segment& segment : segments_) fs::remove(segment.path, ignored);
  if (spare_) fs::remove(spare_->path, ignored);
}

std::vector<UsageJournal::Group> UsageJournal::recovered() {
  const MutexLock lock(mutex_);
  return std::exchange(recovered_, {});
}

void UsageJournal::recover() {
  const MutexLock lock(mutex_);
  std::vector<std::pair<Segment, Found>> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("usage-") || !name.ends_with(".log")) continue;
    Segment segment;
    segment.path = entry.path().string();
    segment.file = columnar::openFile(segment.path);
    Found found = read(*segment.file);
    if (found.damaged) keepDamagedCopy(segment.path);
    if (found.groups.empty()) {
      segment.file.reset();
      fs::remove(segment.path);
      continue;
    }
    segment.first = found.first;
    segment.last = found.last;
    all.emplace_back(std::move(segment), std::move(found));
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
  std::size_t records = 0;
  for (auto& [segment, found] : all) {
    next_ = std::max(next_, found.last + 1);
    for (Group& group : found.groups) {
      records += group.records.size();
      recovered_.push_back(std::move(group));
    }
    segments_.push_back(std::move(segment));
  }
  stored_ = recovered_.empty() ? next_ - 1 : recovered_.front().number - 1;
  if (records > 0) kLog.info("usage_recovered", {{"records", records}});
}

UsageJournal::Found UsageJournal::read(const columnar::File& file) {
  Found found;
  const std::string whole = file.read(0, kMostRead);
  const std::string_view bytes = whole;
  // The file has no header: the process died while it created the file.
  if (bytes.find_first_not_of('\0') == std::string_view::npos || bytes.size() < kHeader) {
    return found;
  }
  const auto first = littleEndianAt<std::uint64_t>(bytes, kMagic.size() + sizeof(kFormat));
  if (bytes.substr(0, kHeaderUsed) != headerOf(first)) {
    found.damaged = true;
    return found;
  }
  found.first = first;
  found.last = first - 1;
  const std::string_view mark = bytes.substr(kMark, kMarkUsed);
  const auto marked = littleEndianAt<std::uint64_t>(mark, 0);
  const std::uint64_t stored = mark == markOf(first, marked) ? marked : 0;
  std::uint64_t expected = first;
  bool gap = false;
  for (std::size_t offset = kHeader; offset + kGroupHeader <= bytes.size();) {
    const std::string_view rest = bytes.substr(offset);
    const auto number = littleEndianAt<std::uint64_t>(rest, 0);
    const bool possible =
        gap ? number > expected && number - expected < kMostMissing : number == expected;
    const auto payload = possible ? payloadAt(rest, first) : std::nullopt;
    auto records = payload ? decodeUsage(*payload) : std::nullopt;
    if (!records) {
      // Either the end or damage; it is damage if a later group is valid.
      gap = true;
      ++offset;
      continue;
    }
    found.damaged = found.damaged || gap;
    gap = false;
    if (number > stored) found.groups.push_back({number, *std::move(records)});
    found.last = number;
    expected = number + 1;
    offset += kGroupHeader + payload->size();
  }
  return found;
}

void UsageJournal::keepDamagedCopy(const std::string& path) const {
  std::string kept;
  for (int i = 0; kept.empty() || fs::exists(kept); ++i) {
    kept = path.substr(0, path.size() - std::string_view(".log").size()) +
           (i == 0 ? "" : "-" + std::to_string(i)) + ".damaged";
  }
  std::error_code problem;
  fs::create_hard_link(path, kept, problem);
  kLog.error("usage_journal_damaged",
             {{"kept_as", fs::path(kept).filename().string()},
              {"message", problem ? problem.message() : "some usage of the last run is lost"}});
}

std::string UsageJournal::freePath() const {
  for (int slot = 1;; ++slot) {
    std::string path = options_.folder + "/usage-" + std::to_string(slot) + ".log";
    const bool taken =
        std::any_of(segments_.begin(), segments_.end(),
                    [&path](const Segment& segment) { return segment.path == path; });
    if (!taken && (!spare_ || spare_->path != path)) return path;
  }
}

/// Fills a new file, so that it does not grow later. Returns an errno.
int UsageJournal::prepare(Segment& segment) const {
  const std::string zeros(kZeros, '\0');
  for (std::uint64_t offset = 0; offset < options_.segment_bytes; offset += kZeros) {
    if (const int problem = segment.file->write(offset, zeros); problem != 0) return problem;
  }
  return 0;
}

Result<void> UsageJournal::beginSegment() {
  Segment segment;
  int problem = 0;
  if (spare_) {
    segment = std::move(*spare_);
    spare_.reset();
  } else {
    segment.path = freePath();
    std::error_code ignored;
    fs::remove(segment.path, ignored);  // left by a failed attempt
    try {
      segment.file =
          options_.create ? options_.create(segment.path) : columnar::createFile(segment.path);
    } catch (const std::system_error& error) {
      return errorOf(error.code().value());
    }
    problem = prepare(segment);
  }
  segment.first = next_;
  segment.last = next_ - 1;
  segment.end = kHeader;
  segment.reusable = true;
  if (problem == 0) problem = segment.file->write(0, headerOf(segment.first));
  if (problem == 0) problem = segment.file->sync();
  if (problem != 0) {
    segment.file.reset();
    std::error_code ignored;
    fs::remove(segment.path, ignored);
    return errorOf(problem);
  }
  segments_.push_back(std::move(segment));
  writable_ = true;
  return {};
}

Result<std::uint64_t> UsageJournal::append(std::string_view encoded) {
  const MutexLock lock(mutex_);
  if (!fits(encoded)) {
    TRY(beginSegment());
  }
  return appendToSegment(encoded);
}

std::optional<std::uint64_t> UsageJournal::tryAppend(std::string_view encoded) {
  if (options_.sync || !mutex_.tryLock()) return std::nullopt;
  const MutexLock lock(mutex_, std::adopt_lock);
  if (!fits(encoded)) return std::nullopt;
  const Result<std::uint64_t> appended = appendToSegment(encoded);
  return appended ? std::optional(*appended) : std::nullopt;
}

bool UsageJournal::fits(std::string_view encoded) const {
  if (!writable_) return false;
  const Segment& segment = segments_.back();
  return segment.end == kHeader ||
         segment.end + kGroupHeader + encoded.size() <= options_.segment_bytes;
}

Result<std::uint64_t> UsageJournal::appendToSegment(std::string_view encoded) {
  SPINDLE_ASSERT(!encoded.empty() && encoded.size() <= kMostGroupBytes, "callers bound a group");
  Segment& segment = segments_.back();
  int problem = segment.file->write(segment.end, groupOf(segment.first, next_, encoded));
  if (problem == 0 && options_.sync) problem = segment.file->sync();
  // The next group has the same number and overwrites a partial write.
  if (problem != 0) return errorOf(problem);
  segment.end += kGroupHeader + encoded.size();
  segment.last = next_;
  return next_++;
}

void UsageJournal::stored(std::uint64_t group) {
  const MutexLock lock(mutex_);
  if (group <= stored_) return;
  stored_ = group;
  dropStored();
  if (!writable_) return;
  // Saves work for the next process. No sync, because storing a record again has no effect.
  const Segment& segment = segments_.back();
  if (const int problem = segment.file->write(kMark, markOf(segment.first, stored_));
      problem != 0) {
    kLog.warning("usage_journal_not_marked",
                 {{"message", std::generic_category().message(problem)}});
  }
}

void UsageJournal::dropStored() {
  while (!segments_.empty()) {
    Segment& oldest = segments_.front();
    const bool active = writable_ && segments_.size() == 1;
    if (active || oldest.last > stored_) return;
    if (oldest.reusable && !spare_) {
      spare_ = std::move(oldest);
    } else {
      std::error_code ignored;
      fs::remove(oldest.path, ignored);
    }
    segments_.erase(segments_.begin());
  }
}

}  // namespace spindle::inference
