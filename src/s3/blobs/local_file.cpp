#include "s3/blobs/local_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "s3/blobs/log.h"

namespace spindle::s3 {
namespace {

constexpr std::size_t kDigestChunk = 1UL << 20;

Error fileFailure(std::string_view what) {
  const int problem = errno;
  kLog.error("file_failed", {{"what", what}, {"why", std::generic_category().message(problem)}});
  if (problem == ENOSPC || problem == EDQUOT || problem == EFBIG) {
    return {ErrorCode::kStorageFull, "There is no space left for files."};
  }
  return Error::unavailable("Files cannot be reached right now.");
}

}  // namespace

std::optional<LocalFile> LocalFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  return LocalFile(descriptor);
}

Result<LocalFile> LocalFile::create(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return fileFailure("create");
  return LocalFile(descriptor);
}

LocalFile::~LocalFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> LocalFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fileFailure("write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::string> LocalFile::read(std::uint64_t offset, std::size_t most) const {
  std::string piece(most, '\0');
  std::size_t done = 0;
  while (done < most) {
    const ssize_t count =
        ::pread(descriptor_, piece.data() + done, most - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fileFailure("read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  piece.resize(done);
  return piece;
}

std::optional<storage::FileStamp> LocalFile::stamp() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return storage::FileStamp{
      status.st_ino, static_cast<std::uint64_t>(status.st_size),
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<Sha256> LocalFile::digest() const {
  Sha256Stream hash;
  for (std::uint64_t at = 0;;) {
    const std::string piece = TRY(read(at, kDigestChunk));
    if (piece.empty()) return hash.finish();
    hash.add(piece);
    at += piece.size();
  }
}

}  // namespace spindle::s3
