#include "base/process/durable_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spindle {
namespace {

/// Names the file without its folder, because clients see the error text.
Error fileError(const std::string& path, int number) {
  return Error::unavailable(path.substr(path.rfind('/') + 1) + ": " +
                            std::generic_category().message(number));
}

Result<void> sync(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return fileError(path, errno);
  const int fault = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (fault != 0) return fileError(path, fault);
  return {};
}

}  // namespace

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> FileWriter::open(const std::string& path) {
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor_ < 0) return fileError(path_, errno);
  return {};
}

Result<void> FileWriter::openAtEnd(const std::string& path) {
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor_ < 0) return fileError(path_, errno);
  return {};
}

Result<void> FileWriter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fileError(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> FileWriter::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) return fileError(path_, errno);
  return {};
}

Result<void> moveIntoPlace(const std::string& from, const std::string& to) {
  TRY(sync(from, O_RDONLY));
  if (::rename(from.c_str(), to.c_str()) != 0) return fileError(to, errno);
  const std::string folder = std::filesystem::path(to).parent_path().string();
  return sync(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace spindle
