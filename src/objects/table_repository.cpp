#include "objects/table_repository.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "objects/placeholders.h"
#include "storage/database.h"

namespace spindle::objects {
namespace {

using storage::Params;
using storage::Row;
using storage::Rows;
using storage::Session;

constexpr std::size_t kBatch = 128;
constexpr std::size_t kInsertedRows = 32;  // in one statement

Result<void> insertRows(Session& session,
                        std::string_view project_id,
                        const std::vector<NewRow>& rows) {
  static const std::string kInsert =
      "INSERT INTO table_rows (project_id, digest, size_bytes, value) VALUES " +
      placeholders(4, kInsertedRows) + " ON CONFLICT DO NOTHING";
  for (std::size_t begin = 0; begin < rows.size(); begin += kInsertedRows) {
    Params params;
    params.reserve(4 * kInsertedRows);
    for (std::size_t i = begin; i < begin + kInsertedRows; ++i) {
      // The last row fills up the last statement: a row that is there is not inserted again.
      const NewRow& row = rows[std::min(i, rows.size() - 1)];
      params.emplace_back(project_id);
      params.emplace_back(row.digest);
      params.emplace_back(row.size_bytes);
      params.emplace_back(row.value);
    }
    const Result<std::int64_t> inserted = session.execute(kInsert, params);
    if (!inserted) return inserted.error();
  }
  return {};
}

/// Digests `begin` to `end`, one a line.
std::string joined(const std::vector<std::string>& digests, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text.append(i == begin ? "" : "\n").append(digests[i]);
  return text;
}

template <class Take>
void splitLines(std::string_view text, const Take& take) {
  while (true) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

Result<void> insertTable(Session& session,
                         std::string_view project_id,
                         std::string_view digest,
                         const std::vector<std::string>& row_digests,
                         Timestamp now) {
  const Result<std::optional<Row>> table = session.queryOne(
      "INSERT INTO tables (project_id, digest, row_count, created_at) VALUES (?, ?, ?, ?) "
      "ON CONFLICT DO NOTHING RETURNING id",
      {project_id, digest, row_digests.size(), now});
  if (!table) return table.error();
  if (!table->has_value()) return {};
  const std::int64_t id = (*table)->integer("id");
  for (std::size_t begin = 0; begin < row_digests.size(); begin += TableRepository::kChunkRows) {
    const std::size_t end = std::min(row_digests.size(), begin + TableRepository::kChunkRows);
    const Result<std::int64_t> inserted = session.execute(
        "INSERT INTO table_chunks (table_id, first_row, row_digests) VALUES (?, ?, ?)",
        {id, begin, joined(row_digests, begin, end)});
    if (!inserted) return inserted.error();
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
  const Result<std::optional<Row>> row = session.queryOne(
      "SELECT id, row_count FROM tables WHERE project_id = ? AND digest = ?", {project_id, digest});
  if (!row) return row.error();
  if (!row->has_value()) return std::optional<TableHead>();
  return std::optional(TableHead{(*row)->integer("id"), (*row)->integer("row_count")});
}

Result<std::optional<std::string>> chunkAt(Session& session,
                                           std::int64_t table_id,
                                           std::int64_t first_row) {
  const Result<std::optional<Row>> row =
      session.queryOne("SELECT row_digests FROM table_chunks WHERE table_id = ? AND first_row = ?",
                       {table_id, first_row});
  if (!row) return row.error();
  if (!row->has_value()) return std::optional<std::string>();
  return std::optional((*row)->text("row_digests"));
}

std::int64_t chunkOf(std::int64_t index) {
  constexpr auto kRows = static_cast<std::int64_t>(TableRepository::kChunkRows);
  return index / kRows * kRows;
}

/// Asks about rows by digest, in batches: `SELECT digest, <what> …`.
template <class Take>
Result<void> eachRow(Session& session,
                     std::string_view project_id,
                     std::string_view what,
                     const std::vector<std::string_view>& digests,
                     const Take& take) {
  const std::string sql = "SELECT digest, " + std::string(what) +
                          " FROM table_rows WHERE project_id = ? AND digest IN ";
  for (std::size_t begin = 0; begin < digests.size(); begin += kBatch) {
    const std::size_t size = std::min(kBatch, digests.size() - begin);
    Params params{project_id};
    for (std::size_t i = 0; i < paddedCount(size); ++i) {
      params.emplace_back(digests[begin + std::min(i, size - 1)]);
    }
    const Result<Rows> rows = session.query(sql + placeholders(params.size() - 1), params);
    if (!rows) return rows.error();
    for (const Row& row : *rows) take(row);
  }
  return {};
}

/// Bytes of a table's rows, each as often as it stands there.
Result<std::int64_t> sizeOf(Session& session, std::string_view project_id, const TableHead& table) {
  std::int64_t bytes = 0;
  for (std::int64_t first = 0; first < table.count;
       first += static_cast<std::int64_t>(TableRepository::kChunkRows)) {
    const Result<std::optional<std::string>> chunk = chunkAt(session, table.id, first);
    if (!chunk) return chunk.error();
    if (!chunk->has_value()) break;
    std::unordered_map<std::string_view, std::int64_t> times;
    splitLines(**chunk, [&](std::string_view digest) { ++times[digest]; });
    std::vector<std::string_view> digests;
    for (const auto& [digest, count] : times) digests.push_back(digest);
    Result<void> asked = eachRow(session, project_id, "size_bytes", digests, [&](const Row& row) {
      bytes += row.integer("size_bytes") * times.at(row.text("digest"));
    });
    if (!asked) return asked.error();
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
  return database_.write([&](Session& session) -> Result<void> {
    if (Result<void> inserted = insertRows(session, project_id, rows); !inserted) return inserted;
    return insertTable(session, project_id, digest, row_digests, clock_.now());
  });
}

Result<std::vector<std::string>> TableRepository::rowDigests(std::string_view project_id,
                                                             std::string_view digest) {
  return database_.read([&](Session& session) -> Result<std::vector<std::string>> {
    const Result<std::optional<TableHead>> table = findTable(session, project_id, digest);
    if (!table) return table.error();
    if (!table->has_value()) {
      return Error::notFound("Table " + std::string(digest) + " not found");
    }
    std::vector<std::string> digests;
    digests.reserve(static_cast<std::size_t>((*table)->count));
    for (std::int64_t first = 0; first < (*table)->count;
         first += static_cast<std::int64_t>(kChunkRows)) {
      const Result<std::optional<std::string>> chunk = chunkAt(session, (*table)->id, first);
      if (!chunk) return chunk.error();
      if (!chunk->has_value()) break;
      splitLines(**chunk, [&](std::string_view row) { digests.emplace_back(row); });
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
      const Result<std::optional<TableHead>> table = findTable(session, project_id, digest);
      if (!table) return table.error();
      if (!table->has_value()) continue;
      TableStats& stats = all.emplace_back();
      stats.digest = digest;
      stats.count = (*table)->count;
      if (!with_sizes) continue;
      const Result<std::int64_t> bytes = sizeOf(session, project_id, **table);
      if (!bytes) return bytes.error();
      stats.size_bytes = *bytes;
    }
    return all;
  });
}

Result<std::vector<RowPlace>> TableRepository::placesFrom(std::string_view project_id,
                                                          std::string_view digest,
                                                          std::int64_t index) {
  return database_.read([&](Session& session) -> Result<std::vector<RowPlace>> {
    std::vector<RowPlace> places;
    const Result<std::optional<TableHead>> table = findTable(session, project_id, digest);
    if (!table) return table.error();
    if (!table->has_value() || index >= (*table)->count) return places;
    const Result<std::optional<std::string>> chunk = chunkAt(session, (*table)->id, chunkOf(index));
    if (!chunk) return chunk.error();
    if (!chunk->has_value()) return places;
    std::int64_t at = chunkOf(index);
    splitLines(**chunk, [&](std::string_view row) {
      if (at >= index) places.push_back({at, std::string(row)});
      ++at;
    });
    return places;
  });
}

Result<std::vector<TableRow>> TableRepository::rowsAt(std::string_view project_id,
                                                      const std::vector<RowPlace>& places) {
  return database_.read([&](Session& session) -> Result<std::vector<TableRow>> {
    std::unordered_map<std::string_view, std::optional<std::string>> values;
    std::vector<std::string_view> digests;
    for (const RowPlace& place : places) {
      if (values.try_emplace(place.digest).second) digests.push_back(place.digest);
    }
    Result<void> asked = eachRow(session, project_id, "value", digests, [&](const Row& row) {
      values.find(row.text("digest"))->second = row.text("value");
    });
    if (!asked) return asked.error();
    std::vector<TableRow> rows;
    for (const RowPlace& place : places) {
      const std::optional<std::string>& value = values.find(place.digest)->second;
      if (value) rows.push_back({place.index, place.digest, *value});
    }
    return rows;
  });
}

Result<std::int64_t> TableRepository::storageSize(std::string_view project_id) {
  return database_.read([&](Session& session) -> Result<std::int64_t> {
    const Result<std::optional<Row>> row = session.queryOne(
        "SELECT CAST(coalesce(sum(size_bytes), 0) AS BIGINT) AS bytes FROM table_rows "
        "WHERE project_id = ?",
        {project_id});
    if (!row) return row.error();
    return (*row)->integer("bytes");
  });
}

}  // namespace spindle::objects
