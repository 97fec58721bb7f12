#include "backup/manifest.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

#include "backup/files.h"
#include "json/document.h"
#include "json/writer.h"

namespace spindle::backup {
namespace {

constexpr std::string_view kDigestMark = "\nsha256:";
constexpr std::uint64_t kSmallestChunk = 4096;
constexpr std::size_t kLongestPath = 512;
constexpr int kDeepestPath = 6;

void writeChunked(json::Writer& out, const ChunkedFile& file) {
  out.beginObject().key("path").string(file.path);
  out.key("size").integer(static_cast<std::int64_t>(file.size));
  out.key("first").integer(static_cast<std::int64_t>(file.first));
  out.key("chunk").integer(static_cast<std::int64_t>(file.chunk));
  out.key("chunks").beginArray();
  for (const Sha256& chunk : file.chunks) out.string(toHex(chunk));
  out.endArray().endObject();
}

Error damaged(const std::string& what) {
  return Error::invalidArgument("the manifest is damaged: " + what);
}

/// Reads members of a JSON object and records the first problem.
class MemberReader {
 public:
  explicit MemberReader(json::Node object) : object_(object) {}

  std::string text(std::string_view name) {
    const std::optional<json::Node> node = object_.find(name);
    if (node && node->isString()) return node->text();
    note(name);
    return {};
  }
  bool flag(std::string_view name) {
    const std::optional<json::Node> node = object_.find(name);
    if (node && node->isBool()) return node->boolean();
    note(name);
    return false;
  }
  std::int64_t number(std::string_view name) {
    const std::optional<json::Node> node = object_.find(name);
    const std::optional<std::int64_t> value =
        node && node->kind() == json::Kind::kInteger ? node->integer() : std::nullopt;
    if (value && *value >= 0) return *value;
    note(name);
    return 0;
  }
  std::vector<Sha256> digests(std::string_view name) {
    std::vector<Sha256> found;
    const std::optional<json::Node> node = object_.find(name);
    if (!node || !node->isArray()) {
      note(name);
      return found;
    }
    for (const json::Node item : *node) {
      Sha256 digest{};
      if (!item.isString() || !parseDigest(item.text(), digest)) note(name);
      found.push_back(digest);
    }
    return found;
  }
  const std::string& problem() const { return problem_; }

 private:
  void note(std::string_view name) {
    if (problem_.empty()) problem_ = "its member " + std::string(name) + " is missing or invalid";
  }

  json::Node object_;
  std::string problem_;
};

Result<ChunkedFile> chunkedIn(json::Node node) {
  if (!node.isObject()) return damaged("a file is not a JSON object");
  MemberReader reader(node);
  ChunkedFile file;
  file.path = reader.text("path");
  file.size = static_cast<std::uint64_t>(reader.number("size"));
  file.first = static_cast<std::uint64_t>(reader.number("first"));
  file.chunk = static_cast<std::uint64_t>(reader.number("chunk"));
  file.chunks = reader.digests("chunks");
  if (!reader.problem().empty()) return damaged(reader.problem());
  if (!isPlainPath(file.path)) return damaged("it names a path outside the data folder");
  if (file.chunk < kSmallestChunk || file.chunk > kChunkBytes || file.first > kChunkBytes ||
      file.chunks.size() != file.chunkCount()) {
    return damaged("the chunks of " + file.path + " do not add up");
  }
  return file;
}

Result<Manifest> manifestIn(json::Node root) {
  if (!root.isObject()) return damaged("it is not a JSON object");
  MemberReader reader(root);
  const std::int64_t format = reader.number("format");
  if (reader.problem().empty() && format > Manifest::kFormat) {
    return Error::invalidArgument("was written by a newer version of Spindle: use that one");
  }
  Manifest manifest;
  manifest.point = reader.text("point");
  manifest.version = reader.text("version");
  const std::string created = reader.text("created_at");
  manifest.online = reader.flag("online");
  manifest.metadata = reader.flag("metadata");
  manifest.secrets = reader.flag("secrets");
  manifest.all_blobs = reader.flag("all_blobs");
  manifest.blobs = reader.number("blobs");
  manifest.blob_bytes = static_cast<std::uint64_t>(reader.number("blob_bytes"));
  manifest.lost_blobs = reader.digests("lost_blobs");
  if (!reader.problem().empty()) return damaged(reader.problem());
  const ParsedTimestamp time = parseTimestamp(created);
  if (!time) return damaged("its creation time is invalid");
  manifest.created_at = *time.value;
  const std::optional<json::Node> files = root.find("files");
  const std::optional<json::Node> index = root.find("blob_index");
  if (!files || !files->isArray() || !index) return damaged("its files are missing");
  for (const json::Node node : *files) {
    ChunkedFile file = TRY(chunkedIn(node));
    manifest.files.push_back(std::move(file));
  }
  ChunkedFile blobs = TRY(chunkedIn(*index));
  manifest.blob_index = std::move(blobs);
  return manifest;
}

}  // namespace

std::uint64_t ChunkedFile::chunkSize(std::size_t index) const {
  const std::uint64_t head = first == 0 ? chunk : first;
  if (index == 0) return std::min(size, head);
  const std::uint64_t begin = head + (index - 1) * chunk;
  return std::min<std::uint64_t>(chunk, size - begin);
}

std::size_t ChunkedFile::chunkCount() const {
  const std::uint64_t head = first == 0 ? chunk : first;
  if (size == 0) return 0;
  if (size <= head) return 1;
  return static_cast<std::size_t>(1 + (size - head + chunk - 1) / chunk);
}

const ChunkedFile* Manifest::find(std::string_view path) const {
  for (const ChunkedFile& file : files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

std::uint64_t Manifest::bytes() const {
  std::uint64_t sum = blob_bytes;
  for (const ChunkedFile& file : files) sum += file.size;
  return sum;
}

std::string manifestText(const Manifest& manifest) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("product").string("spindle").key("format").integer(Manifest::kFormat);
  out.key("version").string(manifest.version).key("point").string(manifest.point);
  out.key("created_at").string(formatTimestamp(manifest.created_at));
  out.key("online").boolean(manifest.online).key("metadata").boolean(manifest.metadata);
  out.key("secrets").boolean(manifest.secrets).key("all_blobs").boolean(manifest.all_blobs);
  out.key("files").beginArray();
  for (const ChunkedFile& file : manifest.files) writeChunked(out, file);
  out.endArray().key("blob_index");
  writeChunked(out, manifest.blob_index);
  out.key("blobs").integer(manifest.blobs);
  out.key("blob_bytes").integer(static_cast<std::int64_t>(manifest.blob_bytes));
  out.key("lost_blobs").beginArray();
  for (const Sha256& digest : manifest.lost_blobs) out.string(toHex(digest));
  out.endArray().endObject();
  const std::string digest_line = toHex(sha256(text));
  return text + std::string(kDigestMark) + digest_line + "\n";
}

Result<Manifest> parseManifest(std::string_view text) {
  const std::size_t mark = text.rfind(kDigestMark);
  if (mark == std::string_view::npos) return damaged("it has no end");
  const std::string_view body = text.substr(0, mark);
  std::string_view digest_line = text.substr(mark + kDigestMark.size());
  if (!digest_line.ends_with('\n')) return damaged("it has no end");
  digest_line.remove_suffix(1);
  if (toHex(sha256(body)) != digest_line) return damaged("its bytes have changed");
  auto parsed = json::Document::parse(std::string(body));
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return damaged("it is not valid JSON");
  return manifestIn(document->root());
}

std::string blobIndexText(const std::vector<BackedUpBlob>& blobs) {
  std::string text;
  for (const BackedUpBlob& blob : blobs) {
    text += toHex(blob.digest) + " " + std::to_string(blob.size) + "\n";
  }
  return text;
}

Result<std::vector<BackedUpBlob>> parseBlobIndex(std::string_view text) {
  std::vector<BackedUpBlob> blobs;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    BackedUpBlob blob;
    const char* const last = line.data() + line.size();
    if (end == std::string_view::npos || line.size() < 66 || line[64] != ' ' ||
        !parseDigest(line.substr(0, 64), blob.digest)) {
      return damaged("its list of blobs cannot be read");
    }
    const auto [stop, fault] = std::from_chars(line.data() + 65, last, blob.size);
    if (fault != std::errc() || stop != last) {
      return damaged("its list of blobs cannot be read");
    }
    blobs.push_back(blob);
    text.remove_prefix(end + 1);
  }
  return blobs;
}

bool isPlainPath(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath) return false;
  int depth = 0;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (name.empty() || name == "." || name == ".." || ++depth > kDeepestPath) return false;
    if (name.find('\0') != std::string_view::npos) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace spindle::backup
