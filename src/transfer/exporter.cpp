#include "transfer/exporter.h"

#include <filesystem>
#include <utility>

#include "base/crypto/file_digest.h"
#include "base/process/durable_file.h"
#include "columnar/duckdb/parquet.h"
#include "transfer/call_columns.h"
#include "transfer/call_page.h"

namespace spindle::transfer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartialSuffix = ".partial";

/// Returns true for a temporary file that an interrupted run left behind.
bool isLeftover(const std::string& name) {
  const bool ours = name.starts_with("calls-") || name.starts_with(kManifestName);
  return ours &&
         (name.ends_with(kPartialSuffix) || name.ends_with(".spill") || name.ends_with(".new"));
}

/// Opens the folder and deletes leftovers. @return kInvalidArgument for a file, and for a folder
/// that contains other files but no manifest.
Result<storage::DataFolder> openFolder(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
    return Error::invalidArgument(path + ": is not a folder");
  storage::DataFolder folder(path);
  bool has_manifest = false;
  bool has_others = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (isLeftover(name)) {
      fs::remove_all(entry.path(), ignored);
    } else if (name == kManifestName) {
      has_manifest = true;
    } else {
      has_others = true;
    }
  }
  if (has_others && !has_manifest) {
    return Error::invalidArgument(path +
                                  ": contains other files and no export; choose an empty folder");
  }
  return folder;
}

Result<Manifest> openManifest(const storage::DataFolder& folder, const ExportRange& range) {
  const std::optional<std::string> text = folder.read(kManifestName);
  if (!text) {
    Manifest fresh;
    fresh.range = range;
    folder.replace(kManifestName, writeManifest(fresh));
    return fresh;
  }
  Result<Manifest> manifest = readManifest(*text);
  if (!manifest) {
    return Error::invalidArgument(folder.fileAt(kManifestName) + ": " + manifest.error().message());
  }
  if (manifest->range != range) {
    return Error::invalidArgument(folder.path() + ": contains another export (of " +
                                  manifest->range.project +
                                  ", or of another range or format); choose an empty folder");
  }
  return manifest;
}

/// Converts a page of JSON lines to the format of the part. @return the name of the new file.
Result<std::string> convert(const std::string& lines, const std::string& part, Format format) {
  if (format == Format::kJsonLines) return lines;
  std::string parquet = part + kPartialSuffix;
  Result<void> written = columnar::writeParquet(lines, parquet, callColumns());
  std::error_code ignored;
  fs::remove(lines, ignored);
  if (!written) return std::move(written).error();
  // Payloads are private: the permissions are those of the files that FileWriter creates.
  fs::permissions(parquet, fs::perms::owner_read | fs::perms::owner_write, ignored);
  return parquet;
}

}  // namespace

Result<ExportOutcome> Exporter::run(const ExportOptions& options) {
  storage::DataFolder folder = TRY(openFolder(options.folder));
  Manifest manifest = TRY(openManifest(folder, options.range));
  ExportOutcome outcome;
  outcome.finished_before = manifest.finished;
  const std::int64_t before = manifest.calls();
  if (!manifest.finished) {
    const std::int64_t total = TRY(count(options.range));
    progress_.begin(before, total);
    if (before > 0) progress_.printLine("continuing after " + std::to_string(before) + " calls");
  }
  while (!manifest.finished) {
    const bool more = TRY(fetchPart(options, folder, manifest));
    manifest.finished = !more;
    folder.replace(kManifestName, writeManifest(manifest));
  }
  outcome.calls = manifest.calls();
  outcome.parts = manifest.parts.size();
  outcome.fresh = outcome.calls - before;
  return outcome;
}

Result<std::int64_t> Exporter::count(const ExportRange& range) {
  ApiResponse response = TRY(
      sendWithRetries(sleep_for_, [&] { return server_.post(kCountPath, countRequest(range)); }));
  if (!response.ok()) return toError(response);
  return countIn(std::move(response.body));
}

Result<bool> Exporter::fetchPart(const ExportOptions& options,
                                 const storage::DataFolder& folder,
                                 Manifest& manifest) {
  const std::string name = manifest.nextPart();
  const std::string lines_file = folder.fileAt(name + ".jsonl" + kPartialSuffix);
  const std::int64_t before = manifest.calls();
  FileWriter file;
  TRY(file.open(lines_file));
  PageLineCounter lines;
  const auto take = [&](std::string_view bytes) {
    lines.add(bytes);
    progress_.update(before + lines.count());
    return file.add(bytes);
  };
  const std::string request = pageRequest(manifest.range, manifest.cursor, options.calls_per_part);
  const ApiResponse response =
      TRY(sendWithRetries(sleep_for_, [&] { return server_.stream(kPagePath, request, take); }));
  if (!response.ok()) return toError(response);
  TRY(file.close());
  if (lines.count() == 0) {
    std::error_code ignored;
    fs::remove(lines_file, ignored);
    return false;
  }
  Cursor cursor = TRY(lines.cursor());

  const std::string whole = TRY(convert(lines_file, folder.fileAt(name), manifest.range.format));
  FileDigest digest = TRY(digestOf(whole));
  TRY(moveIntoPlace(whole, folder.fileAt(name)));
  manifest.parts.push_back({name, lines.count(), digest.bytes, std::move(digest.sha256)});
  manifest.cursor = std::move(cursor);
  progress_.printLine(name + ": " + std::to_string(lines.count()) + " calls");
  return lines.count() == options.calls_per_part;
}

}  // namespace spindle::transfer
