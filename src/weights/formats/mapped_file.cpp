#include "weights/formats/mapped_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weights/formats/file_name.h"

namespace spindle::weights {
namespace {

Error problem(const std::string& path, int number) {
  const std::string message = fileNameOf(path) + ": " + std::generic_category().message(number);
  return number == ENOENT ? Error::notFound(message) : Error::unavailable(message);
}

/// Closes a file descriptor on destruction.
struct Descriptor {
  explicit Descriptor(int descriptor) : number(descriptor) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number;
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0) return problem(path, errno);
  struct stat facts {};
  if (::fstat(file.number, &facts) != 0) return problem(path, errno);
  if (!S_ISREG(facts.st_mode))
    return Error::unavailable(fileNameOf(path) + " is not a regular file.");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (data == MAP_FAILED) return problem(path, errno);
  return MappedFile(data, size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace spindle::weights
