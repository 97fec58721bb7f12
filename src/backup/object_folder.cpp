#include "backup/object_folder.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "backup/files.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = "scratch";

std::optional<std::uint64_t> sizeIfFile(const std::string& path) {
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) return std::nullopt;
  const std::uintmax_t size = fs::file_size(path, problem);
  return problem ? std::nullopt : std::optional<std::uint64_t>(size);
}

Sha256 digestOf(const std::string& path) {
  Sha256Stream hash;
  readPieces(path, sizeOf(path), 0, kPieceSize,
             [&hash](std::string_view piece) { hash.add(piece); });
  return hash.finish();
}

}  // namespace

std::string ObjectFolder::placeOf(const Sha256& digest) const {
  const std::string digits = toHex(digest);
  return folder_ + "/objects/" + digits.substr(0, 2) + "/" + digits.substr(2);
}

std::string ObjectFolder::incomingPlaceOf(const Sha256& digest) const {
  return incoming() + "/" + toHex(digest);
}

void ObjectFolder::prepare() {
  makeFolder(folder_ + "/objects");
  makeFolder(incoming());
  clearScratch();
  for (const auto& entry : fs::directory_iterator(incoming())) {
    const std::string path = entry.path().string();
    Sha256 digest{};
    const bool whole = entry.is_regular_file() &&
                       parseDigest(entry.path().filename().string(), digest) &&
                       digestOf(path) == digest;
    if (!whole) fs::remove_all(path);
  }
}

std::optional<std::uint64_t> ObjectFolder::find(const Sha256& digest) const {
  const std::optional<std::uint64_t> placed = sizeIfFile(placeOf(digest));
  return placed ? placed : sizeIfFile(incomingPlaceOf(digest));
}

bool ObjectFolder::contains(const Sha256& digest, std::uint64_t size) const {
  return find(digest) == size;
}

std::uint64_t ObjectFolder::put(const Sha256& digest, std::string_view bytes) {
  if (contains(digest, bytes.size())) return 0;
  const std::string temporary = incomingPlaceOf(digest) + ".part";
  fs::remove(temporary);
  {
    NewFile file(temporary);
    file.write(bytes);
  }
  renameTo(temporary, incomingPlaceOf(digest));
  return bytes.size();
}

std::optional<std::uint64_t> ObjectFolder::putFile(const Sha256& digest, const std::string& path) {
  const std::string temporary = incomingPlaceOf(digest) + ".part";
  fs::remove(temporary);
  const std::uint64_t size = sizeOf(path);
  Sha256Stream hash;
  {
    NewFile file(temporary);
    readPieces(path, size, 0, kPieceSize, [&](std::string_view piece) {
      hash.add(piece);
      file.write(piece);
    });
  }
  if (hash.finish() != digest) {
    fs::remove(temporary);
    return std::nullopt;
  }
  renameTo(temporary, incomingPlaceOf(digest));
  return size;
}

void ObjectFolder::publish() {
  // Sync the bytes first, so that a name below `objects` always refers to bytes on disk.
  syncFileSystem(incoming());
  std::vector<fs::path> fresh;
  for (const auto& entry : fs::directory_iterator(incoming())) {
    if (entry.is_regular_file()) fresh.push_back(entry.path());
  }
  for (const fs::path& path : fresh) {
    Sha256 digest{};
    if (!parseDigest(path.filename().string(), digest)) continue;
    const std::string place = placeOf(digest);
    makeFolder(fs::path(place).parent_path().string());
    renameTo(path.string(), place);
  }
  syncFileSystem(folder_);
}

std::string ObjectFolder::read(const Sha256& digest,
                               std::uint64_t size,
                               const std::function<void(std::string_view piece)>& take) const {
  const std::string path = placeOf(digest);
  const std::string name = "object " + toHex(digest);
  const std::optional<std::uint64_t> found = sizeIfFile(path);
  if (!found) return name + " is missing";
  if (*found != size) {
    return name + " has " + std::to_string(*found) + " bytes instead of " + std::to_string(size);
  }
  Sha256Stream hash;
  try {
    readPieces(path, size, 0, kPieceSize, [&](std::string_view piece) {
      hash.add(piece);
      take(piece);
    });
  } catch (const std::runtime_error& problem) {
    return name + ": " + problem.what();
  }
  return hash.finish() == digest ? std::string() : name + " is damaged: its bytes have changed";
}

std::vector<Sha256> ObjectFolder::list() const {
  std::vector<Sha256> names;
  std::error_code problem;
  for (const auto& prefix_folder : fs::directory_iterator(folder_ + "/objects", problem)) {
    if (!prefix_folder.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(prefix_folder.path())) {
      Sha256 digest{};
      if (parseDigest(prefix_folder.path().filename().string() + entry.path().filename().string(),
                      digest)) {
        names.push_back(digest);
      }
    }
  }
  return names;
}

void ObjectFolder::remove(const Sha256& digest) { fs::remove(placeOf(digest)); }

std::string ObjectFolder::makeScratch() {
  clearScratch();
  std::string path = incoming() + "/" + std::string(kScratch);
  makeFolder(path);
  return path;
}

void ObjectFolder::clearScratch() { fs::remove_all(incoming() + "/" + std::string(kScratch)); }

}  // namespace spindle::backup
