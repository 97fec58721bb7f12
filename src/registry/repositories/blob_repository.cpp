#include "registry/repositories/blob_repository.h"

#include <chrono>
#include <optional>
#include <utility>

#include "storage/blobs/blob_name.h"
#include "storage/blobs/referenced_blob.h"
#include "storage/database/database.h"

namespace spindle::registry {
namespace {

using storage::Row;
using storage::Session;

/// Minimum size of files whose MD5 is computed on a separate thread.
constexpr std::int64_t kLargeFile = 4L << 20;
constexpr std::chrono::minutes kDirectUrlLifetime{5};

}  // namespace

BlobReceiver::BlobReceiver(storage::Database& database,
                           std::unique_ptr<storage::BlobWriter> writer,
                           BlobUrlClaims grant,
                           const Clock& clock)
    : database_(database),
      writer_(std::move(writer)),
      grant_(std::move(grant)),
      clock_(clock),
      hash_(grant_.blob.size >= kLargeFile) {}

Result<void> BlobReceiver::add(std::string_view bytes) {
  received_ += bytes.size();
  if (received_ > static_cast<std::uint64_t>(grant_.blob.size)) {
    return Error(ErrorCode::kTooLarge, "The file is larger than the manifest says.");
  }
  hash_.begin(bytes);
  Result<void> written = writer_->append(bytes);
  hash_.wait();
  return written;
}

Result<void> BlobReceiver::finish() {
  if (received_ != static_cast<std::uint64_t>(grant_.blob.size)) {
    return Error(ErrorCode::kUnprocessable, "The file is smaller than the manifest says.")
        .because("size_mismatch");
  }
  if (encodeBase64(bytesOf(hash_.finish())) != grant_.blob.digest) {
    return Error(ErrorCode::kUnprocessable, "The MD5 of the file differs from the manifest.")
        .because("md5_mismatch");
  }
  // Store the bytes before the row: a recorded file always exists.
  const Sha256 name = TRY(writer_->finish());
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute(
        "INSERT INTO artifact_blobs (team_id, digest, size_bytes, content, birth_id, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        {grant_.team_id, grant_.blob.digest, grant_.blob.size, storage::blobNameText(name),
         grant_.version_id, clock_.now()}));
    return {};
  });
}

Result<std::unique_ptr<BlobReceiver>> BlobRepository::receive(const BlobUrlClaims& grant) {
  const std::optional<Row> pending = TRY(database_.read([&](Session& session) {
    return session.queryOne("SELECT id FROM artifact_versions WHERE id = ? AND state = 'PENDING'",
                            {grant.version_id});
  }));
  if (!pending.has_value()) {
    return Error::conflict("This version is not pending.").because("not_pending");
  }
  std::unique_ptr<storage::BlobWriter> writer = TRY(blobs_.write());
  return std::make_unique<BlobReceiver>(database_, std::move(writer), grant, clock_);
}

Result<std::string> BlobRepository::contentOf(std::string_view team_id, const BlobKey& key) {
  const std::optional<Row> row = TRY(database_.read([&](Session& session) {
    return session.queryOne(
        "SELECT content FROM artifact_blobs WHERE team_id = ? AND digest = ? AND size_bytes = ?",
        {team_id, key.digest, key.size});
  }));
  if (!row.has_value()) return Error::notFound("File not found");
  return row->text("content");
}

Result<BlobContent> BlobRepository::open(std::string_view team_id, const BlobKey& key) {
  const std::string content = TRY(contentOf(team_id, key));
  std::unique_ptr<storage::BlobReader> blob = TRY(storage::openReferenced(blobs_, content));
  return BlobContent(std::move(blob));
}

Result<std::optional<std::string>> BlobRepository::directUrl(std::string_view team_id,
                                                             const BlobKey& key) {
  const std::string content = TRY(contentOf(team_id, key));
  const std::optional<Sha256> name = storage::parseBlobName(content);
  if (!name) return std::optional<std::string>();
  return blobs_.directUrl(*name, kDirectUrlLifetime);
}

}  // namespace spindle::registry
