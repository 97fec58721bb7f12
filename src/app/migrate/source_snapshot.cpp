#include "app/migrate/source_snapshot.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "backup/data_layout.h"
#include "backup/files.h"

namespace spindle::app {
namespace {

namespace fs = std::filesystem;

/// Part of the disk that stays free.
constexpr std::uint64_t kSpareBytes = 256UL << 20;

/// Ends the hold when the copy fails. The error of the copy matters then, not that of the hold.
class Hold {
 public:
  explicit Hold(backup::DataFolderHold& holder) : holder_(holder) { holder_.begin(); }
  ~Hold() {
    if (ended_) return;
    try {
      holder_.end();
    } catch (const std::exception&) {
      return;  // the hold ends when its lease expires
    }
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  void end() {
    ended_ = true;
    holder_.end();
  }

 private:
  backup::DataFolderHold& holder_;
  bool ended_ = false;
};

/// Copies the first bytes of a file.
void copyFile(const std::string& from, const std::string& to, std::uint64_t bytes) {
  backup::NewFile target(to);
  backup::readPieces(from, bytes, 0, backup::kPieceSize,
                     [&target](std::string_view piece) { target.write(piece); });
}

void requireSpace(const std::string& folder, const std::vector<columnar::HeldFile>& files) {
  std::uint64_t bytes = kSpareBytes;
  for (const columnar::HeldFile& file : files) bytes += file.bytes;
  const std::uint64_t available = fs::space(folder).available;
  if (bytes <= available) return;
  throw std::runtime_error(
      fmt::format("{} has {} MiB free, but a copy of the traces needs {} MiB: free some space, or "
                  "stop the server, so that no copy is needed",
                  folder, available >> 20U, bytes >> 20U));
}

}  // namespace

void copyTraces(const std::string& data_folder,
                const std::string& target,
                backup::DataFolderHold& holder) {
  fs::remove_all(target);
  backup::makeFolder(target);
  Hold hold(holder);
  const std::vector<columnar::HeldFile> files = holder.mark();
  requireSpace(target, files);
  for (const columnar::HeldFile& file : files) {
    copyFile(data_folder + "/" + std::string(backup::kTracesFolder) + "/" + file.name,
             target + "/" + file.name, file.bytes);
  }
  hold.end();
}

}  // namespace spindle::app
