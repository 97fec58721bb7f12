#include "storage/folder/data_folder.h"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/crypto.h"
#include "base/process/file_lock.h"

namespace spindle::storage {
namespace {

[[noreturn]] void fail(const std::string& what,
                       const std::string& path,
                       const std::string& advice = {}) {
  throw std::runtime_error(what + " " + path + ": " + std::generic_category().message(errno) +
                           advice);
}

constexpr const char* kReadAdvice =
    ". Make it a file that this user can read, or restore the data folder with `spindle restore "
    "BACKUP --replace`";

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

 private:
  const int descriptor_;
};

std::string readAll(int descriptor, const std::string& path) {
  std::string content;
  char buffer[4096];
  for (off_t at = 0;; at = static_cast<off_t>(content.size())) {
    const ssize_t count = ::pread(descriptor, buffer, sizeof(buffer), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read", path, kReadAdvice);
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

constexpr std::string_view kReadOnlyLine = "read-only\n";

/// Parses the content of the lock file: "<pid>\n<url>\n", and kReadOnlyLine.
FolderHolder parseHolder(std::string_view note) {
  FolderHolder holder;
  const std::size_t line = note.find('\n');
  std::from_chars(note.data(), note.data() + std::min(line, note.size()), holder.pid);
  if (line == std::string_view::npos) return holder;
  const std::string_view rest = note.substr(line + 1);
  holder.url = std::string(rest.substr(0, rest.find('\n')));
  holder.read_only = rest.ends_with(kReadOnlyLine);
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
  fail("cannot open", path, kReadAdvice);
}

std::string DataFolder::writeTemporaryFile(std::string_view name, std::string_view content) const {
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
  const std::string temporary = writeTemporaryFile(name, content);
  // link() fails for an existing name; rename() would replace the file.
  const int linked = ::link(temporary.c_str(), fileAt(name).c_str());
  const int problem = errno;
  ::unlink(temporary.c_str());
  if (linked != 0 && problem == EEXIST) return false;
  errno = problem;
  if (linked != 0) fail("cannot create", fileAt(name));
  syncFolder();
  return true;
}

void DataFolder::replace(std::string_view name, std::string_view content) const {
  const std::string temporary = writeTemporaryFile(name, content);
  if (::rename(temporary.c_str(), fileAt(name).c_str()) != 0) fail("cannot replace", fileAt(name));
  syncFolder();
}

DataFolderLock::DataFolderLock(const DataFolder& folder) {
  const std::string path = folder.fileAt(kLockName);
  Result<std::unique_ptr<FileLock>> lock = FileLock::take(path);
  if (!lock) {
    throw std::runtime_error("cannot lock " + lock.error().message() +
                             ". Remove it, or choose another --data-dir");
  }
  lock_ = *std::move(lock);
  if (lock_ == nullptr) {
    const FolderHolder other = holder(folder).value_or(FolderHolder());
    std::string who = other.pid == 0 ? "another process" : "process " + std::to_string(other.pid);
    if (!other.url.empty()) who += ", " + other.url;
    throw std::runtime_error("the data folder " + folder.path() +
                             " is in use by another Spindle server (" + who +
                             "): stop it, or choose another --data-dir");
  }
  announce("");
}

void DataFolderLock::announce(std::string_view url, bool read_only) {
  std::string note = std::to_string(::getpid()) + "\n" + std::string(url) + "\n";
  if (read_only) note += kReadOnlyLine;
  const Result<void> noted = lock_->note(note);
  if (!noted) throw std::runtime_error("cannot write " + noted.error().message());
}

std::optional<FolderHolder> DataFolderLock::holder(const DataFolder& folder) {
  const std::optional<std::string> note = FileLock::holderNote(folder.fileAt(kLockName));
  if (!note) return std::nullopt;
  return parseHolder(*note);
}

}  // namespace spindle::storage
