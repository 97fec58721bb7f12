#include "app/migrate/metadata_move.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/metadata/metadata_database.h"
#include "app/migrate/or_throw.h"
#include "base/crypto/digest_stream.h"
#include "storage/copy/move_record.h"
#include "storage/copy/table_copy.h"
#include "storage/folder/key_ring.h"

namespace spindle::app {
namespace {

using storage::Table;

/// Tables about the database itself.
constexpr std::array<std::string_view, 3> kOwnTables = {"schema_migration", "storage_key_check",
                                                        "storage_move"};
/// Tables about the bucket of a deployment.
constexpr std::array<std::string_view, 3> kBucketTables = {"s3_blobs", "s3_owner", "s3_parts"};

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Reports rows to a display.
storage::RowsDone countRowsInto(transfer::Progress& progress, std::int64_t& done) {
  return [&progress, &done](std::int64_t rows) {
    done += rows;
    progress.update(done);
  };
}

}  // namespace

MetadataMove::MetadataMove(storage::Database& from,
                           storage::Database& to,
                           bool keep_bucket,
                           const MigrateOptions& options)
    : from_(from), to_(to), keep_bucket_(keep_bucket), options_(options) {}

void MetadataMove::checkSource(const std::string& name) {
  storage::requireCurrentSchema(from_, metadataSchemas(), name);
  storage::requireNoUnfinishedMove(from_);
  tables_ = orThrow(storage::readTables(from_), name);
  std::erase_if(tables_, [this](const Table& table) {
    return contains(kOwnTables, table.name) ||
           (!keep_bucket_ && contains(kBucketTables, table.name));
  });
}

bool MetadataMove::prepareTarget(const std::string& name,
                                 const std::string& source,
                                 Timestamp now) {
  const bool unused = orThrow(storage::isUnused(to_), name);
  if (!unused) {
    const std::vector<std::string> names = orThrow(storage::tableNames(to_), name);
    if (std::find(names.begin(), names.end(), "storage_move") == names.end())
      throw std::runtime_error(name + " already contains data: choose an empty database");
  }
  if (unused) {
    // An earlier run may have ended before it recorded the move.
    to_.migrate({storage::storageSchema()}, now);
    orThrow(storage::beginMove(to_, source, now), name);
  }
  const std::optional<storage::MoveRecord> move = orThrow(storage::readMove(to_), name);
  if (!move || move->finished_at)
    throw std::runtime_error(name + " already contains a deployment: choose an empty database");
  if (move->source != source) {
    throw std::runtime_error(fmt::format("{} contains an unfinished move from {}, not from {}",
                                         name, move->source, source));
  }
  to_.migrate(metadataSchemas(), now);
  const std::vector<Table> same = orThrow(storage::readTables(to_), name);
  for (const Table& table : tables_) {
    if (std::find(same.begin(), same.end(), table) == same.end())
      throw std::runtime_error(fmt::format("{} has another table {}", name, table.name));
  }
  if (move->prepared && !options_.start_over) return false;
  orThrow(
      storage::emptyTables(
          to_, tables_, [](storage::Session& session) { return storage::markPrepared(session); }),
      name);
  return true;
}

std::int64_t MetadataMove::countRows() {
  std::int64_t rows = 0;
  for (const Table& table : tables_) rows += orThrow(storage::countRows(from_, table), table.name);
  return rows;
}

void MetadataMove::copy() {
  const std::int64_t total = countRows();
  std::int64_t done = 0;
  for (const Table& table : tables_) done += orThrow(storage::countRows(to_, table), table.name);
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kRows);
  progress->begin(done, total);
  for (const Table& table : tables_) {
    const std::string what = "cannot copy the table " + table.name;
    orThrow(storage::copyTable(from_, to_, table, {}, countRowsInto(*progress, done)), what);
    orThrow(storage::copyNextNumber(from_, to_, table), what);
  }
}

StoreReport MetadataMove::verify() {
  StoreReport report;
  std::int64_t done = 0;
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kRows);
  progress->begin(0, countRows());
  Sha256Stream digest;
  std::vector<Table> by_name = tables_;
  std::sort(by_name.begin(), by_name.end(),
            [](const Table& a, const Table& b) { return a.name < b.name; });
  for (const Table& table : by_name) {
    const storage::TableComparison compared = orThrow(
        storage::compareTable(from_, to_, table, {}, countRowsInto(*progress, done)), table.name);
    report.items += compared.from_rows;
    digest.add(table.name + "=" + compared.digest + "\n");
    if (compared.equal()) continue;
    std::string line =
        fmt::format("table {}: {} rows differ ({} in the source, {} in the target)", table.name,
                    compared.differing, compared.from_rows, compared.to_rows);
    for (const std::string& example : compared.examples) line += "\n    " + example;
    report.differences.push_back(std::move(line));
  }
  report.digest = toHex(digest.finish());
  return report;
}

void MetadataMove::finish(Timestamp now) { orThrow(storage::finishMove(to_, now), "the target"); }

}  // namespace spindle::app
