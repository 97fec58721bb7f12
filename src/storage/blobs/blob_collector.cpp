#include "storage/blobs/blob_collector.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "storage/blobs/blob_name.h"
#include "storage/blobs/blob_store.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::storage {
namespace {

constexpr std::size_t kNamesPerBatch = 100;

/// Returns those of the names that a row contains.
Result<std::set<std::string>> referencedNames(Session& session,
                                              const std::vector<BlobColumn>& columns,
                                              const std::vector<Sha256>& names) {
  Params params;
  const std::size_t count = paddedCount(names.size());
  for (std::size_t i = 0; i < count; ++i) {
    params.emplace_back(blobNameText(names[std::min(i, names.size() - 1)]));
  }
  std::set<std::string> found;
  for (const BlobColumn& column : columns) {
    const SqlText sql = "SELECT " + SqlText(column.column) + " FROM " + column.table + " WHERE " +
                        column.column + " IN " + placeholders(count);
    const Rows rows = TRY(session.query(sql, params));
    for (const Row& row : rows) found.insert(row.text(0));
  }
  return found;
}

}  // namespace

BlobCollector::BlobCollector(Database& database,
                             BlobStore& blobs,
                             std::vector<BlobColumn> columns,
                             Clocks clocks,
                             std::chrono::seconds grace)
    : database_(database),
      blobs_(blobs),
      columns_(std::move(columns)),
      clocks_(clocks),
      grace_(grace) {}

Result<std::int64_t> BlobCollector::collect(int parts) {
  std::int64_t removed = 0;
  for (int i = 0; i < parts; ++i) {
    const std::int64_t of_part = TRY(collectPart(next_));
    removed += of_part;
    ++next_;
  }
  return removed;
}

Result<std::int64_t> BlobCollector::collectPart(std::uint8_t first_byte) {
  const Timestamp before = clocks_.earlier() - grace_;
  const std::vector<StoredBlob> stored = TRY(blobs_.list(first_byte));
  std::vector<Sha256> old;
  for (const StoredBlob& blob : stored) {
    if (blob.last_put_at < before) old.push_back(blob.name);
  }
  std::int64_t removed = 0;
  for (std::size_t at = 0; at < old.size(); at += kNamesPerBatch) {
    const std::vector<Sha256> names(
        old.begin() + static_cast<std::ptrdiff_t>(at),
        old.begin() + static_cast<std::ptrdiff_t>(std::min(at + kNamesPerBatch, old.size())));
    // Erase inside the transaction: no row can start to name a blob between the query and the
    // erasure. Stores of several nodes mark the blobs in it and delete their content afterwards.
    const std::int64_t step = TRY(database_.write([&](Session& session) -> Result<std::int64_t> {
      const std::set<std::string> named = TRY(referencedNames(session, columns_, names));
      std::int64_t erased = 0;
      for (const Sha256& name : names) {
        if (named.contains(blobNameText(name))) continue;
        if (TRY(blobs_.eraseIfOlder(session, name, before))) ++erased;
      }
      return erased;
    }));
    removed += step;
  }
  TRY(blobs_.finishErasing(first_byte));
  return removed;
}

}  // namespace spindle::storage
