#include "backup/folder_check.h"

#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "backup/data_layout.h"
#include "backup/files.h"
#include "backup/take_backup.h"
#include "columnar/store/file_check.h"
#include "storage/database/sqlite_snapshot.h"
#include "storage/folder/data_folder.h"
#include "storage/folder/key_ring.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

/// Hashes every blob of the folder. @return the digests of the intact blobs.
std::set<Sha256> checkBlobs(const std::string& folder, CheckReport& report) {
  std::set<Sha256> whole;
  std::uint64_t bytes = 0;
  std::error_code problem;
  for (fs::directory_iterator prefix_folder(folder, problem), end; !problem && prefix_folder != end;
       prefix_folder.increment(problem)) {
    const std::string prefix = prefix_folder->path().filename().string();
    if (prefix == "incoming") continue;
    if (!prefix_folder->is_directory()) {
      report.problems.push_back(fmt::format("{}/{} is not a folder", kBlobsFolder, prefix));
      continue;
    }
    for (const auto& entry : fs::directory_iterator(prefix_folder->path())) {
      const std::string name =
          fmt::format("{}/{}/{}", kBlobsFolder, prefix, entry.path().filename().string());
      Sha256 digest{};
      if (!parseDigest(prefix + entry.path().filename().string(), digest)) {
        report.notes.push_back(name + " is not a blob of Spindle");
        continue;
      }
      try {
        Sha256Stream hash;
        const std::string path = entry.path().string();
        readPieces(path, sizeOf(path), 0, kPieceSize, [&](std::string_view piece) {
          hash.add(piece);
          bytes += piece.size();
        });
        if (hash.finish() == digest) {
          whole.insert(digest);
        } else {
          report.problems.push_back(name + " is damaged: its bytes do not match its name");
        }
      } catch (const std::runtime_error& unreadable) {
        report.problems.push_back(name + ": " + unreadable.what());
      }
    }
  }
  if (problem && problem != std::errc::no_such_file_or_directory) {
    report.problems.push_back(fmt::format("{}: {}", kBlobsFolder, problem.message()));
  }
  report.facts.push_back(fmt::format("files: {}, {} bytes", counted(whole.size(), "blob"), bytes));
  return whole;
}

}  // namespace

void CheckReport::add(const CheckReport& other) {
  problems.insert(problems.end(), other.problems.begin(), other.problems.end());
  notes.insert(notes.end(), other.notes.begin(), other.notes.end());
  facts.insert(facts.end(), other.facts.begin(), other.facts.end());
}

void checkMetadata(const std::string& file,
                   bool complete,
                   const CheckOptions& options,
                   const std::function<bool(const Sha256& digest)>& has_blob,
                   CheckReport& report) {
  const std::string name(kMetadataFile);
  try {
    if (sizeOf(file) == 0) {
      report.problems.push_back(name + " is empty");
      return;
    }
    for (const std::string& line : storage::SqliteFile(file, complete).check()) {
      report.problems.push_back(name + ": " + line);
    }
    const std::vector<Sha256> named = blobsNamedIn(file, complete, options.blob_columns);
    if (!options.blobs) {
      report.notes.push_back(fmt::format("{}: {} to blobs in an S3 bucket, which were not checked",
                                         name, counted(named.size(), "reference")));
      return;
    }
    std::size_t missing = 0;
    for (const Sha256& digest : named) {
      if (has_blob(digest)) continue;
      ++missing;
      report.problems.push_back(fmt::format("{} refers to the blob {}, which is missing or damaged",
                                            name, toHex(digest)));
    }
    report.facts.push_back(fmt::format("{}: {} to blobs, {} missing", name,
                                       counted(named.size(), "reference"), missing));
  } catch (const std::runtime_error& problem) {
    report.problems.push_back(name + ": " + problem.what());
  }
}

void checkTraces(const std::string& folder, const CheckOptions& options, CheckReport& report) {
  const columnar::FilesReport files = columnar::checkFiles(folder, options.memory_bytes);
  for (const std::string& problem : files.problems) {
    report.problems.push_back(fmt::format("{}/{}", kTracesFolder, problem));
  }
  for (const std::string& note : files.notes) {
    report.notes.push_back(fmt::format("{}/{}", kTracesFolder, note));
  }
  report.facts.push_back(fmt::format("traces: {} with {}, {} with {}",
                                     counted(static_cast<std::size_t>(files.tables), "table"),
                                     counted(static_cast<std::size_t>(files.rows), "row"),
                                     counted(static_cast<std::size_t>(files.journals), "journal"),
                                     counted(static_cast<std::size_t>(files.records), "record")));
}

void checkSecretKey(const std::string& folder, bool complete, CheckReport& report) {
  std::error_code problem;
  if (!fs::exists(folder + "/" + std::string(kSecretKeyFile), problem)) {
    report.notes.push_back(fmt::format(
        "{} is not here: the server needs the same SPINDLE_SECRET_KEY as before", kSecretKeyFile));
    return;
  }
  try {
    const storage::DataFolder data(folder);
    const std::string mark =
        toHex(storage::KeyRing::load(data, Secret()).derive("storage/key-check"));
    storage::SqliteFile database(folder + "/" + std::string(kMetadataFile), complete);
    if (!database.hasTable("storage_key_check")) return;
    database.each("SELECT mark FROM storage_key_check", [&](const std::vector<std::string>& row) {
      if (row.front() == mark) return;
      report.problems.push_back(
          fmt::format("{} is not the key that the metadata was written with", kSecretKeyFile));
    });
    report.facts.push_back(fmt::format("{}: present", kSecretKeyFile));
  } catch (const std::runtime_error& failure) {
    report.problems.emplace_back(failure.what());
  }
}

CheckReport checkDataFolder(const std::string& folder, const CheckOptions& options) {
  CheckReport report;
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) {
    report.problems.push_back(folder + " is not a folder");
    return report;
  }
  options.say("checking files");
  const std::set<Sha256> blobs = checkBlobs(folder + "/" + std::string(kBlobsFolder), report);
  const std::string metadata = folder + "/" + std::string(kMetadataFile);
  if (!options.metadata) {
    report.notes.emplace_back("the metadata is on PostgreSQL and was not checked");
  } else if (!fs::exists(metadata, problem)) {
    const bool data = !dataBesideMetadata(folder).empty();
    (data ? report.problems : report.notes).push_back(std::string(kMetadataFile) + " is missing");
  } else {
    options.say("checking metadata");
    checkMetadata(
        metadata, false, options, [&blobs](const Sha256& digest) { return blobs.contains(digest); },
        report);
    checkSecretKey(folder, false, report);
  }
  if (!options.traces) {
    report.notes.emplace_back(
        "traces were not checked: a server has them open. Stop it, or check a backup of them");
  } else {
    options.say("checking traces");
    checkTraces(folder + "/" + std::string(kTracesFolder), options, report);
  }
  return report;
}

}  // namespace spindle::backup
