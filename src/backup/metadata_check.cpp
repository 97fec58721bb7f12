#include "backup/metadata_check.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "backup/data_layout.h"
#include "storage/database/sqlite_snapshot.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

/// A quick check reads the whole file: about one second for this many bytes.
constexpr std::uintmax_t kLargestChecked = 256UL << 20;

constexpr const char* kAdvice =
    "\n`spindle verify` lists the damage; `spindle restore BACKUP --replace` restores the data "
    "folder from a backup";

/// Returns true if the folder has data that the tables of the metadata refer to. A log without a
/// committed transaction has none: it remains of a first start that was interrupted.
bool hasDataOfTables(const std::string& data_folder) {
  std::vector<std::string> others = dataBesideMetadata(data_folder);
  std::erase(others, std::string(kMetadataFile) + "-wal");
  return !others.empty();
}

}  // namespace

void requireIntactMetadata(const std::string& data_folder) {
  requireMetadata(data_folder);
  const std::string path = data_folder + "/" + std::string(kMetadataFile);
  std::error_code problem;
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem || size == 0) return;  // a new folder
  for (const char* suffix : {"-wal", "-shm"}) {
    const std::string beside = path + suffix;
    if (!fs::exists(beside, problem) || fs::is_regular_file(beside, problem)) continue;
    throw std::runtime_error(beside + " is not a file: remove it" + kAdvice);
  }
  try {
    storage::rollBackInterrupted(path);
    storage::SqliteFile database(path, false);
    bool has_tables = false;
    database.each("SELECT name FROM sqlite_master LIMIT 1",
                  [&](const std::vector<std::string>&) { has_tables = true; });
    if (!has_tables && hasDataOfTables(data_folder)) {
      throw std::runtime_error(path + " has no tables, but the data folder holds other data");
    }
    if (size > kLargestChecked) return;
    const std::vector<std::string> damage = database.quickCheck();
    if (!damage.empty()) throw std::runtime_error(path + " is damaged: " + damage.front());
  } catch (const std::runtime_error& failure) {
    throw std::runtime_error(failure.what() + std::string(kAdvice));
  }
}

void requireSecretKey(const std::string& data_folder) {
  std::error_code problem;
  const std::string path = data_folder + "/" + std::string(kSecretKeyFile);
  if (fs::exists(path, problem)) return;
  const std::string metadata = data_folder + "/" + std::string(kMetadataFile);
  if (!fs::exists(metadata, problem) || fs::file_size(metadata, problem) == 0) return;
  throw std::runtime_error(
      path +
      " is missing: without the key that the metadata was written with, no API key and no "
      "stored secret works. Restore it with `spindle restore BACKUP --replace`, or give the "
      "key in SPINDLE_SECRET_KEY");
}

}  // namespace spindle::backup
