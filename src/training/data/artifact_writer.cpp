#include "training/data/artifact_writer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/md5.h"
#include "registry/repositories/blob_repository.h"
#include "registry/repositories/version_repository.h"

namespace spindle::training {
namespace {

constexpr std::chrono::hours kGrant{1};
constexpr std::size_t kPiece = 256UL * 1024;

}  // namespace

ArtifactFile fileOf(std::string name, std::string bytes) {
  ArtifactFile file;
  file.name = std::move(name);
  file.md5 = encodeBase64(bytesOf(md5(bytes)));
  file.size = static_cast<std::int64_t>(bytes.size());
  file.read = [bytes = std::move(bytes)](const ByteSink& sink) { return sink(bytes); };
  return file;
}

Result<void> copyTo(registry::BlobContent& content, const ByteSink& sink) {
  for (std::uint64_t at = 0; at < content.size();) {
    const std::string piece = TRY(content.read(at, kPiece));
    if (piece.empty()) return Error::unavailable("A file ends too early.");
    at += piece.size();
    TRY(sink(piece));
  }
  return {};
}

Result<registry::Version> ArtifactWriter::write(const registry::Place& place,
                                                const registry::Actor& actor,
                                                registry::NewVersion fresh,
                                                const std::vector<ArtifactFile>& files) {
  fresh.manifest.clear();
  for (const ArtifactFile& file : files) {
    fresh.manifest.push_back({.path = file.name, .digest = file.md5, .size = file.size});
  }
  registry::VersionRepository::BeginResult begun = TRY(versions_.begin(place, actor, fresh));
  if (begun.deduplicated) return std::move(begun.version);
  for (const registry::ManifestEntry& missing : begun.missing) {
    const auto file = std::find_if(files.begin(), files.end(), [&](const ArtifactFile& each) {
      return each.name == missing.path;
    });
    TRY(upload(place, begun.version.id, *file));
  }
  return versions_.commit(place, actor, fresh.collection, begun.version.id);
}

Result<void> ArtifactWriter::upload(const registry::Place& place,
                                    std::int64_t version_id,
                                    const ArtifactFile& file) {
  registry::BlobUrlClaims grant;
  grant.team_id = place.team_id;
  grant.version_id = version_id;
  grant.blob = {file.md5, file.size};
  grant.expires_at = clock_.now() + kGrant;
  std::unique_ptr<registry::BlobReceiver> intake = TRY(blobs_.receive(grant));
  Result<void> read = file.read([&](std::string_view bytes) { return intake->add(bytes); });
  return read ? intake->finish() : read;
}

}  // namespace spindle::training
