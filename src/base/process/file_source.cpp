#include "base/process/file_source.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace spindle {

FileSource::FileSource(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), open_error_(errno) {}

FileSource::~FileSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::string> FileSource::read(std::uint64_t offset, std::size_t most) const {
  if (descriptor_ < 0) return failure(open_error_);
  std::string piece(most, '\0');
  const ssize_t count =
      ::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(offset));
  if (count < 0) return failure(errno);
  if (count == 0) return Error::unavailable(path_ + ": became shorter during the upload");
  piece.resize(static_cast<std::size_t>(count));
  return piece;
}

Error FileSource::failure(int code) const {
  return Error::unavailable(path_ + ": " + std::generic_category().message(code));
}

}  // namespace spindle
