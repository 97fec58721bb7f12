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
  Result<storage::DataFolder> folder = openFolder(options.folder);
  if (!folder) return std::move(folder).error();
  Result<Manifest> manifest = openManifest(*folder, options.range);
  if (!manifest) return std::move(manifest).error();
  ExportOutcome outcome;
  outcome.finished_before = manifest->finished;
  const std::int64_t before = manifest->calls();
  if (!manifest->finished) {
    const Result<std::int64_t> total = count(options.range);
    if (!total) return total.error();
    progress_.begin(before, *total);
    if (before > 0) progress_.printLine("continuing after " + std::to_string(before) + " calls");
  }
  while (!manifest->finished) {
    const Result<bool> more = fetchPart(options, *folder, *manifest);
    if (!more) return more.error();
    manifest->finished = !*more;
    folder->replace(kManifestName, writeManifest(*manifest));
  }
  outcome.calls = manifest->calls();
  outcome.parts = manifest->parts.size();
  outcome.fresh = outcome.calls - before;
  return outcome;
}

Result<std::int64_t> Exporter::count(const ExportRange& range) {
  Result<ApiResponse> response =
      sendWithRetries(sleep_for_, [&] { return server_.post(kCountPath, countRequest(range)); });
  if (!response) return std::move(response).error();
  if (!response->ok()) return toError(*response);
  return countIn(std::move(response->body));
}

Result<bool> Exporter::fetchPart(const ExportOptions& options,
                                 const storage::DataFolder& folder,
                                 Manifest& manifest) {
  const std::string name = manifest.nextPart();
  const std::string lines_file = folder.fileAt(name + ".jsonl" + kPartialSuffix);
  const std::int64_t before = manifest.calls();
  FileWriter file;
  if (Result<void> opened = file.open(lines_file); !opened) return std::move(opened).error();
  PageLineCounter lines;
  const auto take = [&](std::string_view bytes) {
    lines.add(bytes);
    progress_.update(before + lines.count());
    return file.add(bytes);
  };
  const std::string request = pageRequest(manifest.range, manifest.cursor, options.calls_per_part);
  const Result<ApiResponse> response =
      sendWithRetries(sleep_for_, [&] { return server_.stream(kPagePath, request, take); });
  if (!response) return response.error();
  if (!response->ok()) return toError(*response);
  if (Result<void> closed = file.close(); !closed) return std::move(closed).error();
  if (lines.count() == 0) {
    std::error_code ignored;
    fs::remove(lines_file, ignored);
    return false;
  }
  Result<Cursor> cursor = lines.cursor();
  if (!cursor) return std::move(cursor).error();

  const Result<std::string> whole = convert(lines_file, folder.fileAt(name), manifest.range.format);
  if (!whole) return whole.error();
  Result<FileDigest> digest = digestOf(*whole);
  if (!digest) return std::move(digest).error();
  if (Result<void> moved = moveIntoPlace(*whole, folder.fileAt(name)); !moved)
    return std::move(moved).error();
  manifest.parts.push_back({name, lines.count(), digest->bytes, std::move(digest->sha256)});
  manifest.cursor = *std::move(cursor);
  progress_.printLine(name + ": " + std::to_string(lines.count()) + " calls");
  return lines.count() == options.calls_per_part;
}

}  // namespace spindle::transfer
