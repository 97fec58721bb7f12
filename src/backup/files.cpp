#include "backup/files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const std::string& path, int problem = errno) {
  throw std::runtime_error(what + " " + path + ": " + std::generic_category().message(problem));
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC)) {
    if (number_ < 0) fail("cannot open", path);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void readPieces(const std::string& path,
                std::uint64_t bytes,
                std::size_t first,
                std::size_t piece,
                const std::function<void(std::string_view piece)>& take) {
  const Descriptor file(path, O_RDONLY);
  std::string buffer(std::max(first, piece), '\0');
  std::uint64_t at = 0;
  while (at < bytes) {
    const std::size_t size = at == 0 && first != 0 ? first : piece;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes - at));
    for (std::size_t done = 0; done < wanted;) {
      const ssize_t count = ::pread(file.number(), buffer.data() + done, wanted - done,
                                    static_cast<off_t>(at + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot read", path);
      if (count == 0) throw std::runtime_error(path + " is shorter than expected");
      done += static_cast<std::size_t>(count);
    }
    take(std::string_view(buffer).substr(0, wanted));
    at += wanted;
  }
}

NewFile::NewFile(const std::string& path)
    : path_(path),
      descriptor_(
          ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
  if (descriptor_ < 0) fail("cannot create", path_);
}

NewFile::~NewFile() { ::close(descriptor_); }

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot write", path_);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void NewFile::sync() {
  if (::fsync(descriptor_) != 0) fail("cannot sync", path_);
}

void makeFolder(const std::string& path) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) return;
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty()) makeFolder(parent.string());
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail("cannot create", path);
  if (!fs::is_directory(path, problem)) throw std::runtime_error(path + " is not a folder");
}

void syncFolder(const std::string& path) {
  const Descriptor folder(path, O_RDONLY | O_DIRECTORY);
  if (::fsync(folder.number()) != 0) fail("cannot sync", path);
}

void syncFileSystem(const std::string& path) {
  const Descriptor folder(path, O_RDONLY);
  if (::syncfs(folder.number()) != 0) fail("cannot sync the file system of", path);
}

void renameTo(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("cannot rename " + from + " to", to);
}

void replaceFile(const std::string& path, std::string_view content) {
  const std::string beside = path + "." + randomAlphanumeric(8) + ".new";
  {
    NewFile file(beside);
    file.write(content);
    file.sync();
  }
  renameTo(beside, path);
  syncFolder(fs::path(path).parent_path().string());
}

std::string readWhole(const std::string& path, std::uint64_t most) {
  const std::uint64_t size = sizeOf(path);
  if (size > most) throw std::runtime_error(path + " is too large to be what it should be");
  std::string content;
  content.reserve(size);
  readPieces(path, size, 0, kPieceSize, [&content](std::string_view piece) { content += piece; });
  return content;
}

std::uint64_t sizeOf(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail("cannot read", path);
  if (!S_ISREG(status.st_mode)) throw std::runtime_error(path + " is not a file");
  return static_cast<std::uint64_t>(status.st_size);
}

bool parseDigest(std::string_view digits, Sha256& digest) {
  if (digits.size() != 2 * digest.size()) return false;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = digitOf(digits[2 * i]);
    const int low = digitOf(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    digest[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

}  // namespace spindle::backup
