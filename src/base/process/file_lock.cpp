#include "base/process/file_lock.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spindle {
namespace {

Error lockError(const std::string& path, int number) {
  return Error::unavailable(path + ": " + std::generic_category().message(number));
}

}  // namespace

FileLock::FileLock(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

Result<std::unique_ptr<FileLock>> FileLock::take(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return lockError(path, errno);
  std::unique_ptr<FileLock> lock(new FileLock(path, descriptor));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    TRY(lock->note(""));
    return lock;
  }
  if (errno != EWOULDBLOCK) return lockError(path, errno);
  return std::unique_ptr<FileLock>();
}

FileLock::~FileLock() { ::close(descriptor_); }

Result<void> FileLock::note(std::string_view text) {
  const bool noted =
      ::ftruncate(descriptor_, 0) == 0 &&
      ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!noted) return lockError(path_, errno);
  return {};
}

std::optional<std::string> FileLock::holderNote(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::optional<std::string> note;
  if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
    std::string text(4096, '\0');
    const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    note = std::move(text);
  }
  ::close(descriptor);
  return note;
}

}  // namespace spindle
