#include "storage/blobs/folder_blob_store.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/blobs/log.h"

namespace spindle::storage {
namespace {

constexpr std::uint64_t kSyncWindow = 8UL << 20;
/// open() compares content up to this size with its name.
constexpr std::uint64_t kCheckedAtOpen = 8UL << 20;
constexpr std::size_t kCheckChunk = 1UL << 20;

/// Converts a failed system call to an error for the API client. The log contains the details for
/// the operator.
Error failure(std::string_view what) {
  const int problem = errno;
  kLog.error("blob_failed", {{"what", what}, {"why", std::generic_category().message(problem)}});
  if (problem == ENOSPC || problem == EDQUOT || problem == EFBIG) {
    return {ErrorCode::kStorageFull, "There is no space left for files."};
  }
  return Error::unavailable("Files cannot be reached right now.");
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  bool isOpen() const { return number_ >= 0; }
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

Descriptor openFile(const std::string& path, int flags, mode_t mode = 0) {
  return Descriptor(::open(path.c_str(), flags | O_CLOEXEC, mode));
}

bool syncFolder(const std::string& path) {
  const Descriptor folder = openFile(path, O_RDONLY | O_DIRECTORY);
  return folder.isOpen() && ::fsync(folder.number()) == 0;
}

Timestamp changedAt(const struct stat& status) {
  return timestampOfMicros(static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000 +
                           status.st_mtim.tv_nsec / 1000);
}

std::optional<std::uint8_t> byteOf(std::string_view digits) {
  std::uint8_t byte = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, byte, 16);
  return fault == std::errc() && stop == end ? std::optional(byte) : std::nullopt;
}

/// Returns the name of the blob in a file of the folder for `first_byte`, or nothing for other
/// files.
std::optional<Sha256> nameOf(std::uint8_t first_byte, std::string_view digits) {
  Sha256 name{};
  if (digits.size() != 2 * (name.size() - 1)) return std::nullopt;
  name[0] = first_byte;
  for (std::size_t i = 1; i < name.size(); ++i) {
    const std::optional<std::uint8_t> byte = byteOf(digits.substr(2 * (i - 1), 2));
    if (!byte) return std::nullopt;
    name[i] = *byte;
  }
  return name;
}

FileStamp stampOf(const struct stat& status) {
  return {
      status.st_ino, static_cast<std::uint64_t>(status.st_size),
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

/// Reads a file, and compares its content with its name unless it is already verified.
class Reader final : public BlobReader {
 public:
  Reader(Descriptor file,
         const Sha256& name,
         const FileStamp& stamp,
         std::shared_ptr<VerifiedBlobs> verified)
      : file_(std::move(file)),
        name_(name),
        stamp_(stamp),
        size_(stamp.size),
        verified_(std::move(verified)),
        checked_(verified_->contains(name, stamp)) {}

  std::uint64_t size() const override { return size_; }

  Result<std::string> read(std::uint64_t offset, std::size_t most) override {
    if (!checked_ && offset != hashed_) {
      TRY(check());
    }
    Result<std::string> piece = readRaw(offset, most);
    if (!piece || checked_) return piece;
    hash_.add(*piece);
    hashed_ += piece->size();
    if (hashed_ < size_) return piece;
    TRY(compare(hash_.finish()));
    return piece;
  }

  Result<void> check() override {
    if (checked_) return {};
    Sha256Stream hash;
    for (std::uint64_t at = 0; at < size_;) {
      const std::string piece = TRY(readRaw(at, kCheckChunk));
      hash.add(piece);
      at += piece.size();
    }
    return compare(hash.finish());
  }

 private:
  Result<std::string> readRaw(std::uint64_t offset, std::size_t most) {
    std::string piece(offset < size_ ? std::min<std::uint64_t>(most, size_ - offset) : 0, '\0');
    for (std::size_t done = 0; done < piece.size();) {
      const ssize_t count = ::pread(file_.number(), piece.data() + done, piece.size() - done,
                                    static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count == 0) return damagedContent(name_);  // truncated since it was opened
      if (count < 0) return failure("read");
      done += static_cast<std::size_t>(count);
    }
    return piece;
  }

  Result<void> compare(const Sha256& digest) {
    if (digest != name_) return damagedContent(name_);
    checked_ = true;
    verified_->add(name_, stamp_);
    return {};
  }

  Descriptor file_;
  const Sha256 name_;
  const FileStamp stamp_;
  const std::uint64_t size_;
  const std::shared_ptr<VerifiedBlobs> verified_;
  bool checked_;
  Sha256Stream hash_;
  std::uint64_t hashed_ = 0;  ///< bytes read in sequence so far
};

}  // namespace

class FolderBlobStore::Writer final : public BlobWriter {
 public:
  Writer(FolderBlobStore& store, std::string path, Descriptor file)
      : store_(store), path_(std::move(path)), file_(std::move(file)) {}
  ~Writer() override {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Result<void> append(std::string_view bytes) override {
    hash_.add(bytes);
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failure("write");
      bytes.remove_prefix(static_cast<std::size_t>(count));
      written_ += static_cast<std::uint64_t>(count);
    }
    beginSync();
    return {};
  }

  Result<Sha256> finish() override {
    if (::fsync(file_.number()) != 0) return failure("sync");
    file_.close();
    const Sha256 name = hash_.finish();
    TRY(store_.publish(path_, name));
    path_.clear();
    return name;
  }

 private:
  /// Asks the kernel to start writing the appended bytes, so that finish() does not wait for all of
  /// them.
  void beginSync() {
    if (written_ - begun_ < kSyncWindow) return;
    ::sync_file_range(file_.number(), static_cast<off_t>(begun_),
                      static_cast<off_t>(written_ - begun_), SYNC_FILE_RANGE_WRITE);
    begun_ = written_;
  }

  FolderBlobStore& store_;
  std::string path_;  ///< empty after the file was renamed
  Descriptor file_;
  Sha256Stream hash_;
  std::uint64_t written_ = 0;
  std::uint64_t begun_ = 0;  ///< the kernel was asked to write up to here
};

FolderBlobStore::FolderBlobStore(std::string folder) : folder_(std::move(folder)) {
  for (const std::string& path : {folder_, incomingFolder()}) {
    if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      throw std::runtime_error("cannot create the folder " + path + ": " +
                               std::generic_category().message(errno));
    }
  }
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(incomingFolder(), problem)) {
    std::filesystem::remove(entry.path(), problem);
  }
  if (problem) {
    throw std::runtime_error("cannot use the folder " + incomingFolder() + ": " +
                             problem.message());
  }
}

std::string FolderBlobStore::pathOf(const Sha256& name) const {
  const std::string digits = toHex(name);
  return folder_ + "/" + digits.substr(0, 2) + "/" + digits.substr(2);
}

bool FolderBlobStore::touch(const Sha256& name) {
  const std::string path = pathOf(name);
  if (::access(path.c_str(), F_OK) != 0) return false;
  const Result<std::unique_ptr<BlobReader>> reader = open(name);
  if (!reader || !(*reader)->check()) return false;
  const MutexLock lock(put_mutex_);
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0) return false;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) verified_->add(name, stampOf(status));
  return true;
}

Result<void> FolderBlobStore::publish(const std::string& file, const Sha256& name) {
  const std::string path = pathOf(name);
  const std::string subfolder = path.substr(0, path.rfind('/'));
  if (::mkdir(subfolder.c_str(), S_IRWXU) == 0) {
    if (!syncFolder(folder_)) return failure("sync");
  } else if (errno != EEXIST) {
    return failure("mkdir");
  }
  {
    const MutexLock lock(put_mutex_);
    if (::rename(file.c_str(), path.c_str()) != 0) return failure("rename");
  }
  if (!syncFolder(subfolder)) return failure("sync");
  return {};
}

Result<Sha256> FolderBlobStore::put(std::string_view bytes) {
  const Sha256 name = sha256(bytes);
  if (touch(name)) return name;
  std::unique_ptr<BlobWriter> writer = TRY(write());
  TRY(writer->append(bytes));
  return writer->finish();
}

Result<std::unique_ptr<BlobWriter>> FolderBlobStore::write() {
  std::string path = incomingFolder() + "/" + randomAlphanumeric(20);
  Descriptor file = openFile(path, O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (!file.isOpen()) return failure("create");
  return std::unique_ptr<BlobWriter>(
      std::make_unique<Writer>(*this, std::move(path), std::move(file)));
}

Result<std::unique_ptr<BlobReader>> FolderBlobStore::open(const Sha256& name) {
  Descriptor file = openFile(pathOf(name), O_RDONLY);
  if (!file.isOpen() && (errno == ENOENT || errno == ENOTDIR)) {
    return Error::notFound("File not found");
  }
  struct stat status {};
  if (!file.isOpen() || ::fstat(file.number(), &status) != 0) return failure("open");
  if (!S_ISREG(status.st_mode)) return damagedContent(name);
  auto reader = std::make_unique<Reader>(std::move(file), name, stampOf(status), verified_);
  if (reader->size() <= kCheckedAtOpen) {
    TRY(reader->check());
  }
  return std::unique_ptr<BlobReader>(std::move(reader));
}

Result<std::uint64_t> FolderBlobStore::size(const Sha256& name) {
  struct stat status {};
  if (::stat(pathOf(name).c_str(), &status) == 0) return static_cast<std::uint64_t>(status.st_size);
  if (errno == ENOENT || errno == ENOTDIR) return Error::notFound("File not found");
  return failure("stat");
}

Result<void> FolderBlobStore::erase(const Sha256& name) {
  const std::string path = pathOf(name);
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return failure("erase");
  }
  if (!syncFolder(path.substr(0, path.rfind('/')))) return failure("sync");
  return {};
}

Result<std::vector<StoredBlob>> FolderBlobStore::list(std::uint8_t first_byte) {
  const std::string subfolder =
      folder_ + "/" + toHex(std::string_view(reinterpret_cast<const char*>(&first_byte), 1));
  std::vector<StoredBlob> blobs;
  std::error_code problem;
  std::filesystem::directory_iterator entries(subfolder, problem);
  if (problem == std::errc::no_such_file_or_directory) return blobs;
  for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem)) {
    const std::optional<Sha256> name = nameOf(first_byte, entries->path().filename().string());
    struct stat status {};
    if (!name || ::stat(entries->path().c_str(), &status) != 0) continue;
    blobs.push_back({*name, changedAt(status)});
  }
  if (!problem) return blobs;
  errno = problem.value();
  return failure("list");
}

Result<bool> FolderBlobStore::eraseIfOlder(Session& /*transaction*/,
                                           const Sha256& name,
                                           Timestamp before) {
  const std::string path = pathOf(name);
  {
    const MutexLock lock(put_mutex_);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
      return errno == ENOENT ? Result<bool>(false) : failure("stat");
    if (changedAt(status) >= before) return false;
    if (::unlink(path.c_str()) != 0) return failure("erase");
  }
  if (!syncFolder(path.substr(0, path.rfind('/')))) return failure("sync");
  return true;
}

}  // namespace spindle::storage
