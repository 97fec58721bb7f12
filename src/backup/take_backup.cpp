#include "backup/take_backup.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "backup/data_layout.h"
#include "backup/files.h"
#include "storage/blobs/blob_name.h"
#include "storage/database/sqlite_snapshot.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

/// Size of DuckDB's headers. After them the file consists of blocks of kChunkBytes.
constexpr std::uint64_t kDuckDbHeaders = 3UL * 4096;
constexpr int kCopyAttempts = 5;

/// Adds the content of one data folder to a backup folder.
class Copier {
 public:
  Copier(BackupFolder& target, const BackupOptions& options)
      : objects_(target.objects()), options_(options) {}

  ChunkedFile chunkFile(const std::string& source,
                        const std::string& path,
                        std::uint64_t bytes,
                        std::uint64_t first = 0,
                        std::size_t chunk = kChunkBytes) {
    ChunkedFile file{path, bytes, first, chunk, {}};
    readPieces(source, bytes, static_cast<std::size_t>(first), chunk,
               [&, this](std::string_view piece) { addChunk(file, piece); });
    return file;
  }

  ChunkedFile chunkText(const std::string& path, std::string_view text) {
    ChunkedFile file{path, text.size(), 0, kChunkBytes, {}};
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), kChunkBytes))) {
      addChunk(file, text.substr(0, kChunkBytes));
    }
    return file;
  }

  /// Adds a blob. @return nothing if the data folder does not contain its bytes.
  std::optional<BackedUpBlob> addBlob(const Sha256& digest) {
    const std::string path = blobPath(digest);
    std::error_code problem;
    const bool there = fs::is_regular_file(path, problem);
    const std::uintmax_t size = there ? fs::file_size(path, problem) : 0;
    const std::optional<std::uint64_t> known = objects_.find(digest);
    // An existing object contains the bytes, whatever happened to the file.
    if (known && (!there || *known == size)) {
      reused_ += *known;
      return BackedUpBlob{digest, *known};
    }
    if (!there || problem) return std::nullopt;
    const std::optional<std::uint64_t> written = objects_.putFile(digest, path);
    if (!written) return std::nullopt;
    written_ += *written;
    return BackedUpBlob{digest, size};
  }

  /// Returns the digests of all blobs in the folder.
  std::vector<Sha256> allBlobs() const {
    std::vector<Sha256> found;
    const std::string folder = options_.data_folder + "/" + std::string(kBlobsFolder);
    std::error_code problem;
    for (fs::directory_iterator prefix_folder(folder, problem), end;
         !problem && prefix_folder != end; prefix_folder.increment(problem)) {
      if (!prefix_folder->is_directory()) continue;
      for (const auto& entry : fs::directory_iterator(prefix_folder->path())) {
        Sha256 digest{};
        const std::string digits =
            prefix_folder->path().filename().string() + entry.path().filename().string();
        if (parseDigest(digits, digest)) found.push_back(digest);
      }
    }
    return found;
  }

  std::uint64_t written() const { return written_; }
  std::uint64_t reused() const { return reused_; }

 private:
  void addChunk(ChunkedFile& file, std::string_view piece) {
    const Sha256 digest = sha256(piece);
    const std::uint64_t fresh = objects_.put(digest, piece);
    written_ += fresh;
    reused_ += piece.size() - fresh;
    file.chunks.push_back(digest);
  }

  std::string blobPath(const Sha256& digest) const {
    const std::string digits = toHex(digest);
    return fmt::format("{}/{}/{}/{}", options_.data_folder, kBlobsFolder, digits.substr(0, 2),
                       digits.substr(2));
  }

  ObjectFolder& objects_;
  const BackupOptions& options_;
  std::uint64_t written_ = 0;
  std::uint64_t reused_ = 0;
};

/// Ends the hold when the backup fails. The error of the backup matters then, not that of the hold.
class HoldGuard {
 public:
  explicit HoldGuard(DataFolderHold& holder) : holder_(holder) { holder_.begin(); }
  ~HoldGuard() {
    if (ended_) return;
    try {
      holder_.end();
    } catch (const std::exception&) {
      return;  // the hold ends when its lease expires
    }
  }
  HoldGuard(const HoldGuard&) = delete;
  HoldGuard& operator=(const HoldGuard&) = delete;

  void end() {
    ended_ = true;
    holder_.end();
  }

 private:
  DataFolderHold& holder_;
  bool ended_ = false;
};

void addSmallFiles(Copier& copier, const BackupOptions& options, Manifest& manifest) {
  const auto add = [&](const std::string& path) {
    const std::string source = options.data_folder + "/" + path;
    std::error_code problem;
    if (!fs::is_regular_file(source, problem)) return;
    manifest.files.push_back(copier.chunkFile(source, path, sizeOf(source)));
  };
  if (options.secrets) {
    add(std::string(kSecretKeyFile));
    add(std::string(kAdminKeyFile));
  }
  for (const std::string& path : otherFiles(options.data_folder)) {
    // Files of a running server may appear, disappear and shrink.
    for (int attempt = 1;; ++attempt) {
      try {
        add(path);
        break;
      } catch (const std::runtime_error&) {
        if (attempt == kCopyAttempts) throw;
      }
    }
  }
  if (!options.settings.empty()) {
    manifest.files.push_back(copier.chunkText(std::string(kSettingsFile), options.settings));
  }
}

void addTraces(Copier& copier,
               const BackupOptions& options,
               std::vector<columnar::HeldFile> held,
               Manifest& manifest) {
  // Journals first: they are small, and the store keeps them on disk for the backup.
  std::stable_sort(held.begin(), held.end(), [](const auto& a, const auto& b) {
    return a.name.ends_with(".log") && !b.name.ends_with(".log");
  });
  for (const columnar::HeldFile& file : held) {
    const std::string path = std::string(kTracesFolder) + "/" + file.name;
    const bool blocks = file.name.ends_with(".duckdb");
    manifest.files.push_back(copier.chunkFile(options.data_folder + "/" + path, path, file.bytes,
                                              blocks ? kDuckDbHeaders : 0));
  }
}

void addBlobs(Copier& copier, std::vector<Sha256> digests, Manifest& manifest) {
  std::sort(digests.begin(), digests.end());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  std::vector<BackedUpBlob> blobs;
  for (const Sha256& digest : digests) {
    if (const std::optional<BackedUpBlob> blob = copier.addBlob(digest)) {
      blobs.push_back(*blob);
      manifest.blob_bytes += blob->size;
    } else {
      manifest.lost_blobs.push_back(digest);
    }
  }
  manifest.blobs = static_cast<std::int64_t>(blobs.size());
  manifest.blob_index = copier.chunkText("blobs.index", blobIndexText(blobs));
}

}  // namespace

std::vector<Sha256> blobsNamedIn(const std::string& database,
                                 bool complete,
                                 const std::vector<storage::BlobColumn>& columns) {
  storage::SqliteFile file(database, complete);
  std::set<Sha256> found;
  for (const storage::BlobColumn& column : columns) {
    // Older versions have not written all of them.
    if (!file.hasColumn(column.table.text(), column.column.text())) continue;
    file.each("SELECT DISTINCT " + SqlText(column.column) + " FROM " + column.table + " WHERE " +
                  column.column + " IS NOT NULL AND " + column.column + " <> ''",
              [&](const std::vector<std::string>& row) {
                const std::optional<Sha256> digest = storage::parseBlobName(row.front());
                if (!digest) {
                  throw std::runtime_error(fmt::format("{}: {}.{} names no blob: \"{}\"", database,
                                                       column.table.text(), column.column.text(),
                                                       row.front()));
                }
                found.insert(*digest);
              });
  }
  return {found.begin(), found.end()};
}

BackupOutcome takeBackup(BackupFolder& target,
                         const BackupOptions& options,
                         DataFolderHold& holder) {
  BackupOutcome outcome;
  Manifest& manifest = outcome.manifest;
  manifest.point = target.newPoint(options.now);
  manifest.version = options.version;
  manifest.created_at = options.now;
  manifest.online = holder.online();
  manifest.metadata = options.metadata;
  manifest.secrets = options.secrets;
  manifest.traces_included = options.traces;
  manifest.blobs_included = options.blobs;
  manifest.all_blobs = options.blobs && !options.metadata;
  Copier copier(target, options);
  options.say("flushing the trace store");
  HoldGuard hold(holder);
  addSmallFiles(copier, options, manifest);
  std::vector<columnar::HeldFile> held;
  std::unique_ptr<storage::SqliteSnapshot> snapshot;
  const std::string database = options.data_folder + "/" + std::string(kMetadataFile);
  if (options.metadata) {
    snapshot = std::make_unique<storage::SqliteSnapshot>(database, [&] { held = holder.mark(); });
  } else {
    held = holder.mark();
  }
  std::vector<Sha256> blobs;
  if (options.metadata) {
    options.say("copying metadata");
    const std::string copy = target.objects().makeScratch() + "/" + std::string(kMetadataFile);
    snapshot->copyTo(copy);
    snapshot.reset();
    manifest.files.push_back(
        copier.chunkFile(copy, std::string(kMetadataFile), sizeOf(copy), 0, kPageChunkBytes));
    if (options.blobs) blobs = blobsNamedIn(copy, true, options.blob_columns);
    target.objects().clearScratch();
  } else if (options.blobs) {
    blobs = copier.allBlobs();
  }
  options.say("copying traces");
  addTraces(copier, options, std::move(held), manifest);
  options.say("copying files");
  addBlobs(copier, std::move(blobs), manifest);
  hold.end();
  target.objects().publish();
  target.save(manifest);
  outcome.bytes_written = copier.written();
  outcome.bytes_reused = copier.reused();
  return outcome;
}

}  // namespace spindle::backup
