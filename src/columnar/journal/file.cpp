#include "columnar/journal/file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spindle::columnar {
namespace {

class MappedBytes final : public FileView {
 public:
  /// @param offset position of the requested bytes in the mapping
  MappedBytes(void* mapping, std::size_t length, std::size_t offset)
      : mapping_(mapping), length_(length), offset_(offset) {}
  ~MappedBytes() override {
    if (mapping_ != nullptr) ::munmap(mapping_, length_);
  }
  MappedBytes(const MappedBytes&) = delete;
  MappedBytes& operator=(const MappedBytes&) = delete;

  std::string_view bytes() const override {
    return {static_cast<const char*>(mapping_) + offset_, length_ - offset_};
  }

 private:
  void* const mapping_;
  const std::size_t length_;
  const std::size_t offset_;
};

class PosixFile final : public File {
 public:
  explicit PosixFile(int descriptor) : descriptor_(descriptor) {}
  ~PosixFile() override { ::close(descriptor_); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  int write(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno;
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return 0;
  }

  int sync() override { return ::fdatasync(descriptor_) == 0 ? 0 : errno; }

  int truncate(std::uint64_t size) override {
    return ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0 ? 0 : errno;
  }

  std::string read(std::uint64_t offset, std::size_t count) const override {
    std::string bytes(count, '\0');
    std::size_t have = 0;
    while (have < count) {
      const ssize_t got = ::pread(descriptor_, bytes.data() + have, count - have,
                                  static_cast<off_t>(offset + have));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  }

  std::uint64_t size() const override {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  std::unique_ptr<FileView> view(std::uint64_t offset, std::size_t count) const override {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = offset / page * page;
    const std::size_t length = static_cast<std::size_t>(offset - begin) + count;
    if (length == 0) return std::make_unique<MappedBytes>(nullptr, 0, 0);
    void* mapping =
        ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, descriptor_, static_cast<off_t>(begin));
    if (mapping == MAP_FAILED) return nullptr;
    return std::make_unique<MappedBytes>(mapping, length, static_cast<std::size_t>(offset - begin));
  }

 private:
  const int descriptor_;
};

std::unique_ptr<File> open(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0)
    throw std::system_error(errno, std::generic_category(), "cannot open " + path);
  return std::make_unique<PosixFile>(descriptor);
}

void syncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int problem = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw std::system_error(problem, std::generic_category(), "cannot sync " + folder);
}

/// Returns a path in the folder `damaged` beside the file: that of an existing hard link to the
/// file, or an unused one.
std::filesystem::path placeAside(const std::filesystem::path& from) {
  const std::filesystem::path folder = from.parent_path() / "damaged";
  std::filesystem::create_directories(folder);
  for (int number = 1;; ++number) {
    std::filesystem::path to = folder / (from.filename().string() + "." + std::to_string(number));
    if (!std::filesystem::exists(to) || std::filesystem::equivalent(from, to)) return to;
  }
}

}  // namespace

std::unique_ptr<File> createFile(const std::string& path) {
  std::unique_ptr<File> file = open(path, O_CREAT | O_EXCL);
  syncFolderOf(path);
  return file;
}

std::unique_ptr<File> openFile(const std::string& path) { return open(path, 0); }

void publishFile(const std::string& from, const std::string& to) {
  if (const int problem = openFile(from)->sync(); problem != 0) {
    throw std::system_error(problem, std::generic_category(), "cannot sync " + from);
  }
  std::filesystem::rename(from, to);
  syncFolderOf(to);
}

std::string moveToDamaged(const std::string& path) {
  const std::filesystem::path to = placeAside(path);
  std::filesystem::rename(path, to);
  syncFolderOf(to.string());
  syncFolderOf(path);
  return to.string();
}

std::string linkToDamaged(const std::string& path) {
  const std::filesystem::path to = placeAside(path);
  if (std::filesystem::exists(to)) return to.string();
  std::filesystem::create_hard_link(path, to);
  syncFolderOf(to.string());
  return to.string();
}

}  // namespace spindle::columnar
