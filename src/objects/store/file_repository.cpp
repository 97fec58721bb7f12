#include "objects/store/file_repository.h"

#include <utility>

#include "objects/store/query_batch.h"
#include "storage/blobs/blob_name.h"
#include "storage/blobs/referenced_blob.h"
#include "storage/database/database.h"

namespace spindle::objects {
namespace {

using storage::Row;
using storage::Session;

}  // namespace

Result<std::string> FileReader::next(std::size_t most) {
  Result<std::string> piece = blob_->read(offset_, most);
  if (piece) offset_ += piece->size();
  return piece;
}

Result<void> FileRepository::put(std::string_view project_id,
                                 std::string_view digest,
                                 std::string_view bytes) {
  // Bytes first, so that a file that is listed in a project always exists.
  const Sha256 name = TRY(blobs_.put(bytes));
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute(
        "INSERT INTO project_files (project_id, digest, content, size_bytes, created_at) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        {project_id, digest, storage::blobNameText(name), bytes.size(), clock_.now()}));
    return {};
  });
}

Result<FileReader> FileRepository::open(std::string_view project_id, std::string_view digest) {
  const auto missing = [digest] {
    return Error::notFound("File " + std::string(digest) + " not found");
  };
  if (!storage::unstorableReason(digest).empty()) return missing();
  const std::optional<Row> row = TRY(database_.read([&](Session& session) {
    return session.queryOne("SELECT content FROM project_files WHERE project_id = ? AND digest = ?",
                            {project_id, digest});
  }));
  if (!row.has_value()) return missing();
  std::unique_ptr<storage::BlobReader> blob =
      TRY(storage::openReferenced(blobs_, row->text("content")));
  return FileReader(std::move(blob));
}

Result<std::int64_t> FileRepository::storageSize(std::string_view project_id) {
  return sumInProject(database_, "size_bytes", "project_files", project_id);
}

}  // namespace spindle::objects
