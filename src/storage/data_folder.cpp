#include "storage/data_folder.h"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto.h"

namespace spindle::storage {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw std::runtime_error(what + " " + path + ": " + std::generic_category().message(errno));
}

class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool isOpen() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

std::string readAll(int descriptor, const std::string& path) {
  std::string content;
  char buffer[4096];
  for (off_t at = 0;; at = static_cast<off_t>(content.size())) {
    const ssize_t count = ::pread(descriptor, buffer, sizeof(buffer), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read", path);
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
  }
}

void writeAll(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot write", path);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
}

constexpr std::string_view kLockName = "lock";

/// The lock file reads "<pid>\n<url>\n".
FolderHolder parseHolder(std::string_view note) {
  FolderHolder holder;
  const std::size_t line = note.find('\n');
  std::from_chars(note.data(), note.data() + std::min(line, note.size()), holder.pid);
  if (line == std::string_view::npos) return holder;
  const std::string_view rest = note.substr(line + 1);
  holder.url = std::string(rest.substr(0, rest.find('\n')));
  return holder;
}

}  // namespace

DataFolder::DataFolder(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  std::error_code problem;
  if (std::filesystem::is_directory(path_, problem)) return;
  const std::filesystem::path parent = std::filesystem::absolute(path_, problem).parent_path();
  std::filesystem::create_directories(parent, problem);
  if (::mkdir(path_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    fail("cannot create the data folder", path_);
  }
  if (!std::filesystem::is_directory(path_, problem)) {
    throw std::runtime_error("cannot use the data folder " + path_ + ": it is not a folder");
  }
  const File above(parent.string(), O_RDONLY | O_DIRECTORY);
  if (above.isOpen()) ::fsync(above.descriptor());
}

std::optional<std::string> DataFolder::read(std::string_view name) const {
  const std::string path = fileAt(name);
  const File file(path, O_RDONLY);
  if (file.isOpen()) return readAll(file.descriptor(), path);
  if (errno == ENOENT) return std::nullopt;
  fail("cannot open", path);
}

std::string DataFolder::writeBeside(std::string_view name, std::string_view content) const {
  std::string path = fileAt(name) + "." + randomAlphanumeric(8) + ".new";
  const File file(path, O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (!file.isOpen()) fail("cannot create", path);
  writeAll(file.descriptor(), content, path);
  if (::fsync(file.descriptor()) != 0) fail("cannot sync", path);
  return path;
}

void DataFolder::syncFolder() const {
  const File folder(path_, O_RDONLY | O_DIRECTORY);
  if (!folder.isOpen() || ::fsync(folder.descriptor()) != 0) fail("cannot sync", path_);
}

bool DataFolder::create(std::string_view name, std::string_view content) const {
  const std::string whole = writeBeside(name, content);
  // link() refuses an existing name, where rename() would replace it.
  const int linked = ::link(whole.c_str(), fileAt(name).c_str());
  const int problem = errno;
  ::unlink(whole.c_str());
  if (linked != 0 && problem == EEXIST) return false;
  errno = problem;
  if (linked != 0) fail("cannot create", fileAt(name));
  syncFolder();
  return true;
}

void DataFolder::replace(std::string_view name, std::string_view content) const {
  const std::string whole = writeBeside(name, content);
  if (::rename(whole.c_str(), fileAt(name).c_str()) != 0) fail("cannot replace", fileAt(name));
  syncFolder();
}

DataFolderLock::DataFolderLock(const DataFolder& folder) {
  const std::string path = folder.fileAt(kLockName);
  File file(path, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
  if (!file.isOpen()) fail("cannot open", path);
  if (::flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail("cannot lock", path);
    const FolderHolder other = parseHolder(readAll(file.descriptor(), path));
    std::string who = other.pid == 0 ? "another process" : "process " + std::to_string(other.pid);
    if (!other.url.empty()) who += ", " + other.url;
    throw std::runtime_error("the data folder " + folder.path() +
                             " is in use by another Spindle server (" + who +
                             "): stop it, or choose another --data-dir");
  }
  file_ = file.release();
  announce("");
}

DataFolderLock::~DataFolderLock() {
  // Emptied, not removed: a server that waits at this very file must not lock a name that is gone.
  if (::ftruncate(file_, 0) != 0) {
    // The lock itself goes with the descriptor; a stale note only names a process that has ended.
  }
  ::close(file_);
}

void DataFolderLock::announce(std::string_view url) {
  const std::string note = std::to_string(::getpid()) + "\n" + std::string(url) + "\n";
  if (::ftruncate(file_, 0) != 0 ||
      ::pwrite(file_, note.data(), note.size(), 0) != static_cast<ssize_t>(note.size())) {
    fail("cannot write", std::string(kLockName));
  }
}

std::optional<FolderHolder> DataFolderLock::holder(const DataFolder& folder) {
  const std::string path = folder.fileAt(kLockName);
  const File file(path, O_RDONLY);
  if (!file.isOpen()) return std::nullopt;
  if (::flock(file.descriptor(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  return parseHolder(readAll(file.descriptor(), path));
}

}  // namespace spindle::storage
