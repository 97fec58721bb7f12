#include "training/trainers/base_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "base/core/ascii.h"
#include "base/crypto/crypto.h"

namespace spindle::training {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1'000;
constexpr std::size_t kRevisionDigits = 16;
constexpr std::array<std::string_view, 6> kEndings = {".json",  ".safetensors", ".txt",
                                                      ".model", ".jinja",       ".tiktoken"};

bool isNameCharacter(char c) { return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

bool isBaseFolderFile(std::string_view name) {
  if (name.empty() || name.starts_with('.') || name.size() > 128) return false;
  if (!std::all_of(name.begin(), name.end(), isNameCharacter)) return false;
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [name](std::string_view ending) { return name.ends_with(ending); });
}

Result<FolderListing> listBaseFolder(const std::string& folder) {
  FolderListing listing;
  std::vector<std::string> stamps;
  std::error_code failed;
  bool has_config = false;
  fs::directory_iterator each(folder, failed);
  for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
    const std::string name = each->path().filename().string();
    std::error_code gone;
    if (!isBaseFolderFile(name) || !each->is_regular_file(gone)) continue;
    const std::uintmax_t size = each->file_size(gone);
    if (gone) continue;
    if (listing.files.size() == kMostFiles) {
      return Error::invalidArgument("The folder of the base model has too many files.");
    }
    has_config = has_config || name == "config.json";
    const auto changed = fs::last_write_time(each->path(), gone).time_since_epoch().count();
    listing.files.push_back({name, static_cast<std::int64_t>(size)});
    stamps.push_back(name + ":" + std::to_string(size) + ":" + std::to_string(changed) + "\n");
  }
  if (failed || !has_config) {
    return Error::invalidArgument("The folder of the base model cannot be read.");
  }
  std::sort(listing.files.begin(), listing.files.end(),
            [](const FolderFile& a, const FolderFile& b) { return a.name < b.name; });
  std::sort(stamps.begin(), stamps.end());
  std::string all;
  for (const std::string& stamp : stamps) all += stamp;
  listing.revision = toHex(sha256(all)).substr(0, kRevisionDigits);
  return listing;
}

}  // namespace spindle::training
