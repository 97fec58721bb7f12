#include "trainer/worker/worker_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/crypto/crypto.h"
#include "trainer/model/atomic_file.h"
#include "trainer/model/line_file.h"

namespace spindle::trainer {
namespace {

constexpr std::size_t kIdLength = 8;
/// Maximum number of folders that are chosen automatically.
constexpr int kMostFolders = 100;

std::string hostName() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0) return "trainer";
  return name;
}

bool isId(const std::string& text) {
  return text.size() == kIdLength &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
             std::string::npos;
}

/// Returns the id in the folder; generates and stores it at first use.
Result<std::string> idIn(const std::string& folder) {
  const std::string file = folder + "/worker-id";
  const Result<std::string> known = readTextFile(file);
  if (known && isId(*known)) return *known;
  std::string id = randomAlphanumeric(kIdLength);
  TRY(writeFileAtomically(file, [&id](const weights::ByteSink& sink) { return sink(id); }));
  return id;
}

Error unusable(const std::string& path, const std::string& why) {
  return Error::unavailable("the folder " + path + " cannot be used (" + why +
                            "): choose another one with --folder");
}

}  // namespace

WorkerFolder::WorkerFolder(std::string path,
                           std::string worker_name,
                           std::unique_ptr<FileLock> lock)
    : path_(std::move(path)), worker_name_(std::move(worker_name)), lock_(std::move(lock)) {}

Result<WorkerFolder> WorkerFolder::take(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) return unusable(path, problem.message());
  const std::string lock_file = path + "/lock";
  Result<std::unique_ptr<FileLock>> lock = FileLock::take(lock_file);
  if (!lock) return unusable(path, lock.error().message());
  if (*lock == nullptr) {
    const std::string holder = FileLock::holderNote(lock_file).value_or("");
    return Error::conflict("the folder " + path + " is in use by another trainer" +
                           (holder.empty() ? "" : " (process " + holder + ")") +
                           ": give each its own with --folder");
  }
  if (const Result<void> noted = (*lock)->note(std::to_string(::getpid())); !noted)
    return unusable(path, noted.error().message());
  const Result<std::string> id = idIn(path);
  if (!id) return unusable(path, id.error().message());
  return WorkerFolder(path, hostName() + "-" + *id, *std::move(lock));
}

Result<WorkerFolder> WorkerFolder::takeFirstFree(const std::string& path) {
  Result<WorkerFolder> taken = take(path);
  for (int number = 2; number <= kMostFolders; ++number) {
    if (taken || taken.error().code() != ErrorCode::kConflict) break;
    taken = take(path + "-" + std::to_string(number));
  }
  return taken;
}

}  // namespace spindle::trainer
