#include "transfer/input_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace spindle::transfer {
namespace {

namespace fs = std::filesystem;

std::optional<Format> formatOf(const fs::path& file) {
  for (const Format format : {Format::kJsonLines, Format::kParquet}) {
    if (file.extension() == fileExtension(format)) return format;
  }
  return std::nullopt;
}

std::optional<std::string> contentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Result<Input> inputPartsOf(const fs::path& folder, std::string text) {
  Result<Manifest> manifest = readManifest(std::move(text));
  if (!manifest) {
    return Error::invalidArgument((folder / kManifestName).string() + ": " +
                                  manifest.error().message());
  }
  Input input;
  for (Part& part : manifest->parts) {
    const fs::path path = folder / part.file;
    // A manifest of unknown origin must not name files outside its folder.
    if (path.filename() != part.file)
      return Error::invalidArgument("the manifest names " + part.file +
                                    ", which is not in its folder");
    input.files.push_back(
        {part.file, path.string(), manifest->range.format, std::move(part.sha256)});
  }
  input.calls = manifest->calls();
  input.unfinished = !manifest->finished;
  return input;
}

Result<Input> filesIn(const fs::path& folder) {
  Input input;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::optional<Format> format = formatOf(entry.path());
    if (format && entry.is_regular_file())
      input.files.push_back({entry.path().filename().string(), entry.path().string(), *format});
  }
  std::sort(input.files.begin(), input.files.end(),
            [](const InputFile& a, const InputFile& b) { return a.name < b.name; });
  if (!input.files.empty()) return input;
  return Error::invalidArgument(folder.string() +
                                ": contains no manifest.json and no .jsonl or .parquet files");
}

}  // namespace

Result<Input> findInput(const std::string& folder_or_file) {
  const fs::path path(folder_or_file);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    std::optional<std::string> manifest = contentOf(path / kManifestName);
    return manifest ? inputPartsOf(path, *std::move(manifest)) : filesIn(path);
  }
  if (!fs::is_regular_file(path, ignored))
    return Error::invalidArgument(folder_or_file + ": there is no such folder or file");
  const std::optional<Format> format = formatOf(path);
  if (!format)
    return Error::invalidArgument(folder_or_file + ": is neither a .jsonl nor a .parquet file");
  Input input;
  input.files.push_back({path.filename().string(), path.string(), *format});
  return input;
}

}  // namespace spindle::transfer
