#include "columnar/journal/disk_space.h"

#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace spindle::columnar {
namespace {

constexpr std::uint64_t kMargin = 16UL << 20;
constexpr std::uint64_t kLowSpaceMargin = 64UL << 20;

int openOrThrow(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    throw std::system_error(errno, std::generic_category(), "cannot open " + file);
  return descriptor;
}

}  // namespace

Error diskFull() {
  return {ErrorCode::kStorageFull,
          "The disk of the trace store is full; nothing was stored. Make room on it, or keep calls "
          "for fewer days."};
}

bool isDiskFull(int problem) { return problem == ENOSPC || problem == EDQUOT || problem == EFBIG; }

DiskSpace::DiskSpace(std::string folder, const std::string& file)
    : folder_(std::move(folder)), descriptor_(openOrThrow(file)) {}

DiskSpace::~DiskSpace() { ::close(descriptor_); }

std::uint64_t DiskSpace::left() const {
  struct statvfs status {};
  if (::statvfs(folder_.c_str(), &status) != 0)
    return std::numeric_limits<std::uint64_t>::max() / 8;
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

bool DiskSpace::admits(std::uint64_t recent_bytes) const {
  return left() > recent_bytes + recent_bytes / 2 + kMargin;
}

bool DiskSpace::isShort(std::uint64_t recent_bytes) const {
  return left() < 3 * recent_bytes + kLowSpaceMargin;
}

std::optional<Error> DiskSpace::reserve(std::uint64_t bytes) const {
  const std::uint64_t needed = bytes + bytes / 4 + kMargin / 2;
  if (left() < needed) return diskFull();
  // Reserves space after the end of the file, where DuckDB will write. If the file system does not
  // support this, the free space reported above must suffice.
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return std::nullopt;
  if (::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, status.st_size,
                  static_cast<off_t>(bytes + kMargin / 4)) != 0 &&
      isDiskFull(errno)) {
    return diskFull();
  }
  return std::nullopt;
}

}  // namespace spindle::columnar
