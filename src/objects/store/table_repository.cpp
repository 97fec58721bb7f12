#include "objects/store/table_repository.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "objects/store/query_batch.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::objects {
namespace {

using storage::Params, storage::placeholders, storage::Row, storage::Rows, storage::Session;

constexpr std::size_t kInsertedRows = 32;  // per statement
constexpr std::int64_t kChunkRows = 1000;
constexpr int kChunksAtOnce = 64;  // read in one transaction

/// Row ids by digest. The keys are views of the caller's texts.
using RowIds = std::unordered_map<std::string_view, std::int64_t>;

std::int64_t countOf(const auto& list) { return static_cast<std::int64_t>(list.size()); }

template <class Take>
void splitLines(std::string_view text, const Take& take) {
  while (true) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// Queries rows by id or digest: `SELECT <what> … WHERE <condition> IN (…)`.
template <class Key, class Take>
Result<void> eachRow(Session& session,
                     SqlView what,
                     SqlView condition,
                     const Params& leading,
                     const std::vector<Key>& keys,
                     const Take& take) {
  return queryBatches(
      session, "SELECT " + SqlText(what) + " FROM table_rows WHERE " + condition, leading, 0,
      keys.size(), [&keys](std::size_t i) { return keys[i]; }, take);
}

/// Adds the ids of the rows that exist.
Result<void> findRowIds(Session& session,
                        std::string_view project_id,
                        const std::vector<std::string_view>& digests,
                        RowIds& ids) {
  std::unordered_map<std::string_view, std::string_view> own;
  for (const std::string_view digest : digests) own.emplace(digest, digest);
  return eachRow(session, "id, digest", "project_id = ? AND digest", {project_id}, digests,
                 [&](const Row& row) { ids[own.at(row.text("digest"))] = row.integer("id"); });
}

/// Result of insertRows().
struct InsertedRows {
  RowIds ids;
  std::int64_t added_bytes = 0;  ///< of rows that were new
};

Result<InsertedRows> insertRows(Session& session,
                                std::string_view project_id,
                                const std::vector<NewRow>& rows) {
  static const SqlText insert =
      "INSERT INTO table_rows (project_id, digest, size_bytes, value) VALUES " +
      placeholders(4, kInsertedRows) + " ON CONFLICT DO NOTHING RETURNING id, digest, size_bytes";
  std::unordered_map<std::string_view, const NewRow*> distinct;
  std::vector<const NewRow*> ordered;
  for (const NewRow& row : rows) {
    if (distinct.emplace(row.digest, &row).second) ordered.push_back(&row);
  }
  InsertedRows kept;
  for (std::size_t begin = 0; begin < ordered.size(); begin += kInsertedRows) {
    Params params;
    params.reserve(4 * kInsertedRows);
    for (std::size_t i = begin; i < begin + kInsertedRows; ++i) {
      // Repeats the last row to fill the last statement; an existing row is not inserted again.
      const NewRow& row = *ordered[std::min(i, ordered.size() - 1)];
      params.emplace_back(project_id);
      params.emplace_back(row.digest);
      params.emplace_back(row.size_bytes);
      params.emplace_back(row.value);
    }
    const Rows inserted = TRY(session.query(insert, params));
    for (const Row& row : inserted) {
      kept.ids[distinct.at(row.text("digest"))->digest] = row.integer("id");
      kept.added_bytes += row.integer("size_bytes");
    }
  }
  std::vector<std::string_view> known;
  for (const NewRow* row : ordered) {
    if (!kept.ids.contains(row->digest)) known.push_back(row->digest);
  }
  TRY(findRowIds(session, project_id, known, kept.ids));
  return kept;
}

/// One chunk: rows `first` to `first` + kChunkRows of a table.
struct Chunk {
  std::string digests;
  std::string ids;
};

const storage::Columns<Chunk>& chunkColumns() {
  static const storage::Columns<Chunk> columns{{"row_digests", &Chunk::digests},
                                               {"row_ids", &Chunk::ids}};
  return columns;
}

Result<void> insertChunks(Session& session,
                          std::int64_t table_id,
                          const std::vector<std::string>& row_digests,
                          const std::vector<std::int64_t>& row_ids) {
  for (std::int64_t begin = 0; begin < countOf(row_digests); begin += kChunkRows) {
    const std::int64_t end = std::min(countOf(row_digests), begin + kChunkRows);
    Chunk chunk;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::string_view separator = chunk.digests.empty() && chunk.ids.empty() ? "" : "\n";
      chunk.digests.append(separator).append(row_digests[i]);
      chunk.ids.append(separator).append(std::to_string(row_ids[i]));
    }
    TRY(session.execute(chunkColumns().insertInto("table_chunks", {"table_id", "first_row"}),
                        chunkColumns().valuesOf(chunk, {table_id, begin})));
  }
  return {};
}

struct TableHead {
  std::int64_t id = 0;
  std::int64_t count = 0;
};

Result<std::optional<TableHead>> findTable(Session& session,
                                           std::string_view project_id,
                                           std::string_view digest) {
  if (!storage::unstorableReason(digest).empty()) return std::optional<TableHead>();
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT id, row_count FROM tables WHERE project_id = ? AND digest = ?",
                           {project_id, digest}));
  if (!row.has_value()) return std::optional<TableHead>();
  return std::optional(TableHead{row->integer("id"), row->integer("row_count")});
}

Result<void> insertTable(Session& session,
                         std::string_view project_id,
                         std::string_view digest,
                         const std::vector<std::string>& row_digests,
                         const std::vector<std::int64_t>& row_ids,
                         std::int64_t added_bytes,
                         Timestamp now) {
  const std::optional<TableHead> known = TRY(findTable(session, project_id, digest));
  if (known.has_value()) {
    if (added_bytes == 0) return {};
    TRY(session.execute("UPDATE tables SET added_bytes = added_bytes + ? WHERE id = ?",
                        {added_bytes, known->id}));
    return {};
  }
  const std::optional<Row> table = TRY(session.queryOne(
      "INSERT INTO tables (project_id, digest, row_count, added_bytes, created_at) "
      "VALUES (?, ?, ?, ?, ?) RETURNING id",
      {project_id, digest, row_digests.size(), added_bytes, now}));
  return insertChunks(session, table->integer("id"), row_digests, row_ids);
}

Result<std::optional<Chunk>> chunkAt(Session& session, std::int64_t table_id, std::int64_t first) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT " + chunkColumns().list() + " FROM table_chunks WHERE table_id = ? AND first_row = ?",
      {table_id, first}));
  if (!row.has_value()) return std::optional<Chunk>();
  return std::optional(chunkColumns().read(*row));
}

std::int64_t chunkOf(std::int64_t index) { return index / kChunkRows * kChunkRows; }

std::vector<std::int64_t> idsOf(const Chunk& chunk) {
  std::vector<std::int64_t> ids;
  ids.reserve(kChunkRows);
  splitLines(chunk.ids, [&ids](std::string_view text) {
    std::from_chars(text.data(), text.data() + text.size(), ids.emplace_back());
  });
  return ids;
}

/// Adds the wanted positions of a chunk at or after `index`.
void addPositions(const Chunk& chunk,
                  std::int64_t first,
                  std::int64_t index,
                  const DigestSet* wanted,
                  std::vector<RowPosition>& positions) {
  std::vector<std::int64_t> ids;  // parsed only if needed
  std::int64_t at = first;
  splitLines(chunk.digests, [&](std::string_view digest) {
    if (at >= index && (wanted == nullptr || wanted->contains(digest))) {
      if (ids.empty()) ids = idsOf(chunk);
      positions.push_back({at, std::string(digest), ids[static_cast<std::size_t>(at - first)]});
    }
    ++at;
  });
}

/// Returns the size of the rows of a table in bytes, counting repeated rows repeatedly.
Result<std::int64_t> sizeOf(Session& session, std::string_view project_id, const TableHead& table) {
  std::int64_t bytes = 0;
  for (std::int64_t first = 0; first < table.count; first += kChunkRows) {
    const std::optional<Chunk> chunk = TRY(chunkAt(session, table.id, first));
    if (!chunk.has_value()) break;
    std::vector<RowPosition> positions;
    addPositions(*chunk, first, first, nullptr, positions);
    std::unordered_map<std::int64_t, std::int64_t> by_id;
    std::unordered_map<std::string_view, std::int64_t> by_digest;
    for (const RowPosition& position : positions) {
      ++(position.row_id != 0 ? by_id[position.row_id] : by_digest[position.digest]);
    }
    std::vector<std::int64_t> ids;
    ids.reserve(by_id.size());
    for (const auto& [id, times] : by_id) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    std::vector<std::string_view> digests;
    digests.reserve(by_digest.size());
    for (const auto& [digest, times] : by_digest) digests.push_back(digest);
    TRY(eachRow(session, "id, size_bytes", "id", {}, ids, [&](const Row& row) {
      bytes += row.integer("size_bytes") * by_id.at(row.integer("id"));
    }));
    TRY(eachRow(session, "digest, size_bytes", "project_id = ? AND digest", {project_id}, digests,
                [&](const Row& row) {
                  bytes += row.integer("size_bytes") * by_digest.at(row.text("digest"));
                }));
  }
  return bytes;
}

bool isStorableDigest(const std::string& digest) {
  return digest.find('\n') == std::string::npos && storage::unstorableReason(digest).empty();
}

}  // namespace

Result<void> TableRepository::create(std::string_view project_id,
                                     std::string_view digest,
                                     const std::vector<std::string>& row_digests,
                                     const std::vector<NewRow>& rows) {
  if (!std::all_of(row_digests.begin(), row_digests.end(), isStorableDigest)) {
    return Error::invalidArgument("A row digest contains a line end.");
  }
  // Looks up earlier rows before the transaction, because a million of them take long and others
  // can write meanwhile. Stored rows stay stored.
  DigestSet coming;
  for (const NewRow& row : rows) coming.insert(row.digest);
  std::vector<std::int64_t> row_ids(row_digests.size(), 0);
  for (std::size_t begin = 0; begin < row_digests.size(); begin += kChunkRows) {
    const std::size_t end = std::min<std::size_t>(row_digests.size(), begin + kChunkRows);
    std::vector<std::string_view> earlier;
    for (std::size_t i = begin; i < end; ++i) {
      if (!coming.contains(row_digests[i])) earlier.emplace_back(row_digests[i]);
    }
    if (earlier.empty()) continue;
    const RowIds ids = TRY(database_.read([&](Session& session) -> Result<RowIds> {
      RowIds found;
      TRY(findRowIds(session, project_id, earlier, found));
      return found;
    }));
    for (std::size_t i = begin; i < end; ++i) {
      if (const auto id = ids.find(row_digests[i]); id != ids.end()) row_ids[i] = id->second;
    }
  }
  return database_.write([&](Session& session) -> Result<void> {
    const InsertedRows kept = TRY(insertRows(session, project_id, rows));
    std::vector<std::int64_t> ids = row_ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (const auto id = kept.ids.find(row_digests[i]); id != kept.ids.end()) ids[i] = id->second;
    }
    return insertTable(session, project_id, digest, row_digests, ids, kept.added_bytes,
                       clock_.now());
  });
}

Result<std::vector<std::string>> TableRepository::rowDigests(std::string_view project_id,
                                                             std::string_view digest) {
  return database_.read([&](Session& session) -> Result<std::vector<std::string>> {
    const std::optional<TableHead> table = TRY(findTable(session, project_id, digest));
    if (!table.has_value()) {
      return Error::notFound("Table " + std::string(digest) + " not found");
    }
    std::vector<std::string> digests;
    digests.reserve(static_cast<std::size_t>(table->count));
    for (std::int64_t first = 0; first < table->count; first += kChunkRows) {
      const std::optional<Chunk> chunk = TRY(chunkAt(session, table->id, first));
      if (!chunk.has_value()) break;
      splitLines(chunk->digests, [&](std::string_view row) { digests.emplace_back(row); });
    }
    return digests;
  });
}

Result<std::vector<TableStats>> TableRepository::stats(std::string_view project_id,
                                                       const std::vector<std::string>& digests,
                                                       bool with_sizes) {
  return database_.read([&](Session& session) -> Result<std::vector<TableStats>> {
    std::vector<TableStats> all;
    for (const std::string& digest : digests) {
      const std::optional<TableHead> table = TRY(findTable(session, project_id, digest));
      if (!table.has_value()) continue;
      TableStats& stats = all.emplace_back();
      stats.digest = digest;
      stats.count = table->count;
      if (!with_sizes) continue;
      const std::int64_t bytes = TRY(sizeOf(session, project_id, *table));
      stats.size_bytes = bytes;
    }
    return all;
  });
}

Result<RowPositions> TableRepository::positionsFrom(std::string_view project_id,
                                                    std::string_view digest,
                                                    std::int64_t index,
                                                    const DigestSet* wanted) {
  return database_.read([&](Session& session) -> Result<RowPositions> {
    RowPositions found;
    found.next = index;
    const std::optional<TableHead> table = TRY(findTable(session, project_id, digest));
    const std::int64_t count = table.has_value() ? table->count : 0;
    for (int i = 0; i < kChunksAtOnce && found.positions.empty() && found.next < count; ++i) {
      const std::int64_t first = chunkOf(found.next);
      const std::optional<Chunk> chunk = TRY(chunkAt(session, table->id, first));
      if (chunk.has_value()) addPositions(*chunk, first, found.next, wanted, found.positions);
      found.next = first + kChunkRows;
    }
    found.at_end = found.next >= count;
    return found;
  });
}

Result<std::vector<TableRow>> TableRepository::rowsAt(std::string_view project_id,
                                                      const std::vector<RowPosition>& positions) {
  return database_.read([&](Session& session) -> Result<std::vector<TableRow>> {
    std::unordered_map<std::int64_t, std::string> by_id;
    std::unordered_map<std::string, TableRow> by_digest;
    std::vector<std::int64_t> ids;
    std::vector<std::string_view> digests;
    for (const RowPosition& position : positions) {
      if (position.row_id != 0) {
        ids.push_back(position.row_id);
      } else {
        digests.emplace_back(position.digest);
      }
    }
    TRY(eachRow(session, "id, value", "id", {}, ids,
                [&](const Row& row) { by_id.emplace(row.integer("id"), row.text("value")); }));
    TRY(eachRow(session, "id, digest, value", "project_id = ? AND digest", {project_id}, digests,
                [&](const Row& row) {
                  by_digest.try_emplace(row.text("digest"),
                                        TableRow{0, {}, row.integer("id"), row.text("value")});
                }));
    std::vector<TableRow> rows;
    for (const RowPosition& position : positions) {
      if (const auto row = by_id.find(position.row_id); row != by_id.end()) {
        rows.push_back({position.index, position.digest, position.row_id, row->second});
      } else if (const auto late = by_digest.find(position.digest); late != by_digest.end()) {
        rows.push_back({position.index, position.digest, late->second.row_id, late->second.value});
      }
    }
    return rows;
  });
}

Result<std::int64_t> TableRepository::storageSize(std::string_view project_id) {
  return sumInProject(database_, "added_bytes", "tables", project_id);
}

}  // namespace spindle::objects
