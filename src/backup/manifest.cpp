#include "backup/manifest.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "backup/files.h"
#include "json/document.h"
#include "json/members.h"
#include "json/writer.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::backup {
namespace {

using schema::integer, schema::Record, schema::string;

constexpr std::string_view kDigestMark = "\nsha256:";
constexpr std::uint64_t kSmallestChunk = 4096;
constexpr std::size_t kLongestPath = 512;
constexpr int kDeepestPath = 6;

Error damaged(const std::string& what) {
  return Error::invalidArgument("the manifest is damaged: " + what);
}

/// A value that schema has no type for.
template <class T>
class ValueType final : public schema::Type {
 public:
  using Parse = std::optional<T> (*)(const json::Node& input);
  using Print = void (*)(const T& value, json::Writer& out);

  ValueType(Parse parse, Print print) : parse_(parse), print_(print) {}

  bool read(const json::Node& input,
            const schema::Path& path,
            void* out,
            schema::Report& report) const override {
    const std::optional<T> value = parse_(input);
    if (value) *static_cast<T*>(out) = *value;
    if (!value) report.add(path, "value_error", "Input should be valid", input);
    return value.has_value();
  }
  void write(const void* value, json::Writer& out, schema::Spelling /*spelling*/) const override {
    print_(*static_cast<const T*>(value), out);
  }
  void describe(json::Writer& /*out*/, schema::Components& /*components*/) const override {}

 private:
  const Parse parse_;
  const Print print_;
};

template <class T>
schema::Codec<T> valueCodec(typename ValueType<T>::Parse parse,
                            typename ValueType<T>::Print print) {
  return schema::Codec<T>(std::make_shared<ValueType<T>>(parse, print));
}

/// A number of bytes.
schema::Codec<std::uint64_t> sizeCodec() {
  return valueCodec<std::uint64_t>(
      [](const json::Node& input) -> std::optional<std::uint64_t> {
        if (input.kind() != json::Kind::kInteger) return std::nullopt;
        const std::optional<std::int64_t> size = input.integer();
        if (!size || *size < 0) return std::nullopt;
        return static_cast<std::uint64_t>(*size);
      },
      [](const std::uint64_t& size, json::Writer& out) {
        out.integer(static_cast<std::int64_t>(size));
      });
}

/// A SHA-256 in hexadecimal.
schema::Codec<Sha256> digestCodec() {
  return valueCodec<Sha256>(
      [](const json::Node& input) -> std::optional<Sha256> {
        Sha256 digest{};
        if (!input.isString() || !parseDigest(input.text(), digest)) return std::nullopt;
        return digest;
      },
      [](const Sha256& digest, json::Writer& out) { out.string(toHex(digest)); });
}

schema::Codec<Manifest> manifestCodec() {
  const auto size = sizeCodec();
  const auto digests = schema::list(digestCodec());
  const schema::Codec<ChunkedFile> file = Record<ChunkedFile>("ChunkedFile")
                                              .required("path", &ChunkedFile::path, string())
                                              .required("size", &ChunkedFile::size, size)
                                              .required("first", &ChunkedFile::first, size)
                                              .required("chunk", &ChunkedFile::chunk, size)
                                              .required("chunks", &ChunkedFile::chunks, digests)
                                              .codec();
  const auto flag = schema::boolean();
  return Record<Manifest>("BackupManifest")
      .optional("product", &Manifest::product, string())
      .required("format", &Manifest::format, integer({.ge = 0}))
      .required("version", &Manifest::version, string())
      .required("point", &Manifest::point, string())
      .required("created_at", &Manifest::created_at, schema::dateTime())
      .required("online", &Manifest::online, flag)
      .required("metadata", &Manifest::metadata, flag)
      .required("secrets", &Manifest::secrets, flag)
      .optional("traces_included", &Manifest::traces_included, flag)
      .optional("blobs_included", &Manifest::blobs_included, flag)
      .required("all_blobs", &Manifest::all_blobs, flag)
      .required("files", &Manifest::files, schema::list(file))
      .required("blob_index", &Manifest::blob_index, file)
      .required("blobs", &Manifest::blobs, integer({.ge = 0}))
      .required("blob_bytes", &Manifest::blob_bytes, size)
      .required("lost_blobs", &Manifest::lost_blobs, digests)
      .codec();
}

Error damagedAt(const Violation& violation) {
  const std::vector<LocStep>& place = violation.loc;
  if (violation.type == "datetime_from_date_parsing")
    return damaged("its creation time is invalid");
  const bool in_list = std::holds_alternative<std::int64_t>(place.back());
  const std::string name = std::get<std::string>(place[place.size() - (in_list ? 2 : 1)]);
  if (name == "files" || name == "blob_index") {
    const bool missing = name == "files" ? !in_list : violation.type == "missing";
    return damaged(missing ? "its files are missing" : "a file is not a JSON object");
  }
  return damaged("its member " + name + " is missing or invalid");
}

Result<void> checkFile(const ChunkedFile& file) {
  if (!isPlainPath(file.path)) return damaged("it names a path outside the data folder");
  if (file.chunk < kSmallestChunk || file.chunk > kChunkBytes || file.first > kChunkBytes ||
      file.chunks.size() != file.chunkCount()) {
    return damaged("the chunks of " + file.path + " do not add up");
  }
  return {};
}

Result<Manifest> manifestIn(const json::Node& root) {
  if (!root.isObject()) return damaged("it is not a JSON object");
  if (json::integerIn(root, "format") > Manifest::kFormat) {
    return Error::invalidArgument("was written by a newer version of Spindle: use that one");
  }
  Manifest manifest;
  schema::Report report(true);
  if (!manifestCodec().read(root, schema::Path("manifest"), manifest, report)) {
    return damagedAt(report.take().front());
  }
  for (const ChunkedFile& file : manifest.files) TRY(checkFile(file));
  TRY(checkFile(manifest.blob_index));
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
  const std::string text = manifestCodec().toJson(manifest);
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
