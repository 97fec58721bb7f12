#include "transfer/artifact_transfer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>
#include <variant>

#include "base/crypto/crypto.h"
#include "base/crypto/md5.h"
#include "base/process/durable_file.h"
#include "http/message/uri.h"
#include "json/document.h"
#include "json/members.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "transfer/artifact_api_client.h"
#include "transfer/progress.h"

namespace spindle::transfer {
namespace {

namespace fs = std::filesystem;
using json::Node;
using schema::integer, schema::string;

constexpr std::size_t kBlockBytes = 1UL << 20;

Error invalidArtifactResponse() {
  return {ErrorCode::kUpstream, "the server's response is not that of an artifact store"};
}

Result<json::Document> parsed(Result<std::string> body) {
  if (!body) return std::move(body).error();
  std::variant<json::Document, json::SyntaxError> document =
      json::Document::parse(*std::move(body));
  auto* good = std::get_if<json::Document>(&document);
  if (good == nullptr || !good->root().isObject()) return invalidArtifactResponse();
  return std::move(*good);
}

/// A file to upload.
struct LocalFile {
  std::string path;  ///< on this machine
  std::int64_t size = 0;
  std::string digest;
};
using LocalFiles = std::map<std::string, LocalFile>;  // by the path in the manifest

Result<void> addFile(LocalFiles& files, const std::string& name, const fs::path& path) {
  std::error_code problem;
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem) return Error::unavailable(path.string() + ": " + problem.message());
  const bool is_new =
      files.emplace(name, LocalFile{path.string(), static_cast<std::int64_t>(size), {}}).second;
  if (!is_new) return Error::invalidArgument("two of the inputs have the name " + name);
  return {};
}

Result<LocalFiles> collectFiles(const std::vector<std::string>& inputs) {
  LocalFiles files;
  for (const std::string& input : inputs) {
    std::error_code problem;
    if (!fs::is_directory(input, problem)) {
      TRY(addFile(files, fs::path(input).filename().string(), input));
      continue;
    }
    fs::recursive_directory_iterator entries(input, problem);
    for (; !problem && entries != fs::recursive_directory_iterator(); entries.increment(problem)) {
      if (!entries->is_regular_file()) continue;
      TRY(addFile(files, entries->path().lexically_relative(input).generic_string(),
                  entries->path()));
    }
    if (problem) return Error::unavailable(input + ": " + problem.message());
  }
  return files;
}

/// Adds the bytes of a file to a hash, and calls `step` with the size of each block.
/// @return the number of bytes.
template <class Step>
Result<std::int64_t> addFileTo(Md5Stream& hash, const std::string& path, Step step) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return Error::unavailable(path + ": cannot be read");
  std::string block(kBlockBytes, '\0');
  std::int64_t bytes = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    hash.add({block.data(), static_cast<std::size_t>(file.gcount())});
    bytes += file.gcount();
    step(file.gcount());
  }
  if (file.bad()) return Error::unavailable(path + ": cannot be read");
  return bytes;
}

std::string textOf(Md5Stream hash) { return encodeBase64(bytesOf(hash.finish())); }

/// The body of the request that creates a version.
struct NewVersionBody {
  std::string type;
  schema::MapOf<LocalFile> manifest;
  std::optional<std::string> description;
  std::vector<std::string> aliases;
  std::vector<std::string> tags;
};

std::string versionBody(const PutArtifact& wanted, const LocalFiles& files) {
  using B = NewVersionBody;
  const schema::Codec<LocalFile> file = schema::Record<LocalFile>("NewManifestEntry")
                                            .required("digest", &LocalFile::digest, string())
                                            .required("size", &LocalFile::size, integer())
                                            .codec();
  return schema::Record<B>("NewVersion")
      .required("type", &B::type, string())
      .required("manifest", &B::manifest, schema::map(file))
      .optional("description", &B::description, schema::ifPresent(string()))
      .required("aliases", &B::aliases, schema::list(string()))
      .required("tags", &B::tags, schema::list(string()))
      .codec()
      .toJson({wanted.type,
               {files.begin(), files.end()},
               wanted.description,
               wanted.aliases,
               wanted.tags});
}

Result<std::int64_t> sendMissing(ArtifactApiClient& server,
                                 Progress& progress,
                                 const Node& uploads,
                                 const LocalFiles& files) {
  std::int64_t total = 0;
  for (const Node upload : uploads) {
    const auto file = files.find(textIn(upload, "path"));
    if (file == files.end()) return invalidArtifactResponse();
    total += file->second.size;
  }
  progress.begin(0, total);
  std::int64_t done = 0;
  for (const Node upload : uploads) {
    const LocalFile& file = files.at(textIn(upload, "path"));
    TRY(server.upload(
        textIn(upload, "url"), file.digest, file.path, static_cast<std::uint64_t>(file.size),
        [&](std::uint64_t bytes) { progress.update(done + static_cast<std::int64_t>(bytes)); }));
    done += file.size;
  }
  return total;
}

/// A file in the server's list.
struct RemoteFile {
  std::string path;
  std::int64_t size = 0;
  std::string digest;
};

Result<std::vector<RemoteFile>> listFiles(ArtifactApiClient& server,
                                          const std::string& version_path,
                                          std::int64_t& references) {
  std::vector<RemoteFile> files;
  std::string cursor;
  do {
    const json::Document page = TRY(parsed(
        server.get(version_path + "/files?limit=200&cursor=" + http::percentEncode(cursor))));
    const std::optional<Node> items = page.root().find("items");
    if (!items || !items->isArray()) return invalidArtifactResponse();
    for (const Node item : *items) {
      const std::string path = textIn(item, "path");
      if (const std::string_view reason = unsafeReason(path); !reason.empty()) {
        return Error(ErrorCode::kUpstream, "the path " + path + " " + std::string(reason));
      }
      if (!textIn(item, "ref").empty()) {
        ++references;
      } else {
        files.push_back({path, integerIn(item, "size"), textIn(item, "digest")});
      }
    }
    cursor = textIn(page.root(), "next_cursor");
  } while (!cursor.empty());
  return files;
}

bool hasContent(const std::string& path, const RemoteFile& file) {
  std::error_code problem;
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem || size != static_cast<std::uintmax_t>(file.size)) return false;
  Md5Stream hash;
  const Result<std::int64_t> read = addFileTo(hash, path, [](std::streamsize) {});
  return read && textOf(std::move(hash)) == file.digest;
}

/// Downloads a file to `target`. Continues the partial download of an earlier run.
Result<void> fetchFile(ArtifactApiClient& server,
                       const std::string& version_path,
                       const RemoteFile& file,
                       const std::string& target,
                       const std::function<void(std::int64_t)>& update) {
  const std::string part = target + ".part";
  std::error_code problem;
  fs::create_directories(fs::path(target).parent_path(), problem);
  Md5Stream hash;
  std::int64_t have = 0;
  if (fs::exists(part, problem)) {
    const Result<std::int64_t> read = addFileTo(hash, part, [](std::streamsize) {});
    if (read && *read <= file.size) {
      have = *read;
    } else {
      hash = Md5Stream();
      fs::remove(part, problem);
    }
  }
  FileWriter writer;
  Result<void> done = writer.openAtEnd(part);
  if (done && have < file.size) {
    done = server.download(version_path + "/files/" + http::percentEncode(file.path, "/"),
                           static_cast<std::uint64_t>(have), [&](std::string_view bytes) {
                             hash.add(bytes);
                             have += static_cast<std::int64_t>(bytes.size());
                             update(have);
                             return writer.add(bytes);
                           });
  }
  if (done) done = writer.close();
  if (!done) return done;
  if (textOf(std::move(hash)) != file.digest) {
    fs::remove(part, problem);
    return Error(ErrorCode::kUpstream,
                 file.path + ": the downloaded bytes do not match the digest");
  }
  return moveIntoPlace(part, target);
}

}  // namespace

Result<PutArtifactOutcome> putArtifact(ArtifactApiClient& server,
                                       Progress& progress,
                                       const PutArtifact& wanted) {
  LocalFiles files = TRY(collectFiles(wanted.inputs));
  PutArtifactOutcome outcome;
  outcome.files = static_cast<std::int64_t>(files.size());
  for (const auto& [name, file] : files) outcome.bytes += file.size;
  progress.begin(0, outcome.bytes);
  std::int64_t hashed = 0;
  for (auto& [name, file] : files) {
    Md5Stream hash;
    const std::int64_t read = TRY(addFileTo(
        hash, file.path, [&](std::streamsize bytes) { progress.update(hashed += bytes); }));
    if (read != file.size) return Error::unavailable(file.path + ": changed while it was read");
    file.digest = textOf(std::move(hash));
  }
  const json::Document begun = TRY(
      parsed(server.post(wanted.to.collectionPath() + "/versions", versionBody(wanted, files))));
  const std::optional<Node> version = begun.root().find("version");
  const std::optional<Node> uploads = begun.root().find("uploads");
  if (!version || !version->isObject() || !uploads || !uploads->isArray())
    return invalidArtifactResponse();
  outcome.id = textIn(*version, "id");
  outcome.index = integerIn(*version, "version_index");
  const std::optional<Node> known = begun.root().find("deduplicated");
  outcome.already_existed = known && known->isBool() && known->boolean();
  if (outcome.already_existed) return outcome;
  const std::int64_t sent = TRY(sendMissing(server, progress, *uploads, files));
  outcome.sent_bytes = sent;
  const json::Document committed = TRY(
      parsed(server.post(wanted.to.collectionPath() + "/versions/" + outcome.id + "/commit", {})));
  outcome.index = integerIn(committed.root(), "version_index");
  return outcome;
}

Result<GetArtifactOutcome> getArtifact(ArtifactApiClient& server,
                                       Progress& progress,
                                       const RemoteArtifactPath& from,
                                       const std::string& folder) {
  // An alias may move during the download, so all later requests name the version by its id.
  const json::Document version = TRY(parsed(server.get(from.versionPath())));
  RemoteArtifactPath fixed = from;
  fixed.version = textIn(version.root(), "id");
  GetArtifactOutcome outcome;
  const std::string path = fixed.versionPath();
  const std::vector<RemoteFile> files = TRY(listFiles(server, path, outcome.references));
  outcome.files = static_cast<std::int64_t>(files.size());
  for (const RemoteFile& file : files) outcome.bytes += file.size;
  progress.begin(0, outcome.bytes);
  std::int64_t done = 0;
  for (const RemoteFile& file : files) {
    const std::string target = (fs::path(folder) / file.path).string();
    if (!hasContent(target, file)) {
      TRY(fetchFile(server, path, file, target,
                    [&](std::int64_t bytes) { progress.update(done + bytes); }));
      ++outcome.fetched_files;
    }
    done += file.size;
    progress.update(done);
  }
  return outcome;
}

}  // namespace spindle::transfer
