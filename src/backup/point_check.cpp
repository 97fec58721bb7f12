#include "backup/point_check.h"

#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "backup/data_layout.h"
#include "backup/files.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

/// Returns true if the check of a data folder needs the file.
bool isChecked(const ChunkedFile& file) {
  return file.path == kMetadataFile || file.path == kSecretKeyFile ||
         file.path.starts_with(std::string(kTracesFolder) + "/");
}

void checkObject(const BackupFolder& folder,
                 const Sha256& digest,
                 std::uint64_t size,
                 const std::string& of,
                 std::set<Sha256>& known,
                 CheckReport& report) {
  if (known.contains(digest)) return;
  const std::string problem = folder.objects().read(digest, size, [](std::string_view) {});
  if (problem.empty()) {
    known.insert(digest);
  } else {
    report.problems.push_back(problem + " (part of " + of + ")");
  }
}

void checkChunks(const BackupFolder& folder,
                 const ChunkedFile& file,
                 std::set<Sha256>& known,
                 CheckReport& report) {
  for (std::size_t i = 0; i < file.chunks.size(); ++i) {
    checkObject(folder, file.chunks[i], file.chunkSize(i), file.path, known, report);
  }
}

}  // namespace

CheckReport checkObjects(const BackupFolder& folder,
                         const Manifest& manifest,
                         std::set<Sha256>& known) {
  CheckReport report;
  for (const ChunkedFile& file : manifest.files) checkChunks(folder, file, known, report);
  checkChunks(folder, manifest.blob_index, known, report);
  const Result<std::vector<BackedUpBlob>> blobs = folder.blobsOf(manifest);
  if (!blobs) {
    report.problems.push_back(blobs.error().message());
    return report;
  }
  if (static_cast<std::int64_t>(blobs->size()) != manifest.blobs) {
    report.problems.emplace_back("the list of blobs does not match the number in the manifest");
  }
  for (const BackedUpBlob& blob : *blobs) {
    checkObject(folder, blob.digest, blob.size, "files", known, report);
  }
  for (const Sha256& lost : manifest.lost_blobs) {
    report.notes.push_back(
        fmt::format("blob {} was missing or damaged in the data folder when the backup was taken",
                    toHex(lost)));
  }
  report.facts.push_back(fmt::format("{}: {} files, {} blobs, {} bytes", manifest.point,
                                     manifest.files.size(), manifest.blobs, manifest.bytes()));
  return report;
}

void assembleFile(const BackupFolder& folder, const ChunkedFile& file, const std::string& path) {
  makeFolder(fs::path(path).parent_path().string());
  NewFile out(path);
  for (std::size_t i = 0; i < file.chunks.size(); ++i) {
    const std::string problem = folder.objects().read(
        file.chunks[i], file.chunkSize(i), [&out](std::string_view piece) { out.write(piece); });
    if (!problem.empty()) throw std::runtime_error(problem + " (part of " + file.path + ")");
  }
}

CheckReport checkPoint(BackupFolder& folder,
                       const Manifest& manifest,
                       const CheckOptions& options,
                       std::set<Sha256>& known) {
  options.say("checking the objects of " + manifest.point);
  CheckReport report = checkObjects(folder, manifest, known);
  if (!report.clean()) return report;
  const std::string scratch = folder.objects().makeScratch();
  try {
    for (const ChunkedFile& file : manifest.files) {
      if (isChecked(file)) assembleFile(folder, file, scratch + "/" + file.path);
    }
    if (manifest.metadata) {
      options.say("checking metadata");
      const std::set<Sha256> lost(manifest.lost_blobs.begin(), manifest.lost_blobs.end());
      std::set<Sha256> blobs;
      const Result<std::vector<BackedUpBlob>> listed = folder.blobsOf(manifest);
      if (!listed) throw std::runtime_error(listed.error().message());
      for (const BackedUpBlob& blob : *listed) blobs.insert(blob.digest);
      CheckOptions of_point = options;
      of_point.blobs = manifest.blobs_included;
      checkMetadata(
          scratch + "/" + std::string(kMetadataFile), true, of_point,
          [&](const Sha256& digest) { return blobs.contains(digest) || lost.contains(digest); },
          report);
      checkSecretKey(scratch, true, report);
    } else {
      report.notes.emplace_back(
          "the metadata is on PostgreSQL and not in this backup: check it with the tools of "
          "PostgreSQL");
    }
    options.say("checking traces");
    checkTraces(scratch + "/" + std::string(kTracesFolder), options, report);
    if (report.clean() && options.check_copy) options.check_copy(scratch, report);
  } catch (const std::runtime_error& problem) {
    report.problems.emplace_back(problem.what());
  }
  folder.objects().clearScratch();
  return report;
}

}  // namespace spindle::backup
