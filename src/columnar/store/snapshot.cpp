#include "columnar/store/snapshot.h"

#include <algorithm>
#include <utility>

#include "columnar/duckdb/number_list.h"
#include "columnar/duckdb/table_sql.h"
#include "columnar/store/cursor_source.h"
#include "columnar/store/log.h"
#include "columnar/store/snapshot_state.h"

namespace spindle::columnar {
namespace {

constexpr std::chrono::seconds kReaderTimeout{10};

}  // namespace

SqlText haveNumbers(const std::vector<std::int64_t>& numbers) {
  return isOneOf("c." + SqlText(kRowColumn), numbers);
}

Result<std::unique_ptr<Snapshot::State>> Snapshot::State::begin(std::shared_ptr<Core> core) {
  auto pass = std::make_unique<ScanGate::Pass>(core->parts().snapshots);
  std::unique_ptr<Reader> borrowed = TRY(core->readers().borrow(kReaderTimeout));
  std::unique_ptr<Reader> reader = std::move(borrowed);
  Visibility& visibility = core->parts().visibility;
  const RemovalEpoch& removals = core->parts().removals;
  const std::optional<std::uint64_t> epoch = removals.current();
  Result<std::shared_ptr<const Version>> version =
      visibility.enter([&reader] { return reader->begin(); });
  if (!version) {
    core->readers().giveBack(reader->end() ? std::move(reader) : nullptr);
    return std::move(version).error();
  }
  Result<void> fixed = reader->fixStored();
  visibility.entered(**version);
  const bool is_certain = epoch == removals.current();
  auto state = std::make_unique<State>(std::move(core), std::move(pass), std::move(reader),
                                       *std::move(version), is_certain ? epoch : std::nullopt);
  if (!fixed) return std::move(fixed).error();
  return state;
}

Snapshot::State::State(std::shared_ptr<Core> core,
                       std::unique_ptr<ScanGate::Pass> pass,
                       std::unique_ptr<Reader> reader,
                       std::shared_ptr<const Version> version,
                       std::optional<std::uint64_t> epoch)
    : core_(std::move(core)),
      pass_(std::move(pass)),
      reader_(std::move(reader)),
      version_(std::move(version)),
      epoch_(epoch) {
  core_->parts().metrics.snapshots.add(1);
}

Snapshot::State::~State() {
  core_->parts().metrics.snapshots.add(-1);
  const bool usable = reader_->end();
  core_->parts().visibility.left(*version_);
  core_->readers().giveBack(usable ? std::move(reader_) : nullptr);
}

std::vector<Source> Snapshot::State::sources(FamilyId family,
                                             std::string_view partition,
                                             std::optional<std::string_view> key) const {
  const std::optional<PartitionNumber> number =
      core_->parts().partitions.find(partition, version_->number);
  std::vector<Source> sources;
  if (number) {
    const TableKey table{family, *number};
    const bool new_key = key && core_->parts().families[family].isOrderedKey(*key) &&
                         !core_->parts().stored.mayContainOrdered(table, *key);
    if (!new_key) addStored(table, sources);
    addRecent(table, key, sources);
  }
  if (sources.empty())
    sources.push_back(
        {"(" + selectNothing(core_->parts().families[family]) + ")", SqlText("true")});
  return sources;
}

SqlText Snapshot::State::from(FamilyId family, std::string_view partition) const {
  // DuckDB always reads one column of a union, the first if none is selected; make it a small one.
  const SqlText columns = SqlText(kRowColumn) + ", " + columnsOf(core_->parts().families[family]);
  SqlText sql;
  for (const Source& source : sources(family, partition, std::nullopt)) {
    sql += sql.empty() ? SqlView("(SELECT ") : SqlView(" UNION ALL SELECT ");
    sql += columns + " FROM " + source.table + " AS c WHERE " + source.condition;
  }
  return sql + ")";
}

void Snapshot::State::addRecent(TableKey table,
                                std::optional<std::string_view> key,
                                std::vector<Source>& sources) const {
  const Family& family = core_->parts().families[table.family];
  for (const std::shared_ptr<Generation>& generation : version_->generations) {
    const std::optional<Tally> tally = generation->tally(table);
    if (!tally || tally->rows == 0 || (key && !tally->mayContain(*key))) continue;
    sources.push_back(
        {recentTable(family, generation->number()),
         "c." + SqlText(kPartitionColumn) + " = " + SqlText::number(table.partition)});
  }
}

std::vector<Source> Snapshot::State::storedSources(TableKey table) const {
  const StoreParts& parts = core_->parts();
  const Family& family = parts.families[table.family];
  const StoredTables::Location location = parts.stored.locateAt(table, version_->stored);
  std::vector<Source> sources;
  if (location.own) sources.push_back({ownTable(family, table.partition), SqlText("true")});
  if (location.shared) {
    sources.push_back({sharedTable(family), "c." + SqlText(kPartitionColumn) + " = " +
                                                SqlText::number(table.partition)});
  }
  return sources;
}

void Snapshot::State::addStored(TableKey table, std::vector<Source>& sources) const {
  std::vector<GenerationNumber> superseding;
  RowNumber first = 0;
  for (const std::shared_ptr<Generation>& generation : version_->generations) {
    const std::optional<Tally> tally = generation->tally(table);
    if (!tally || tally->superseded == 0) continue;
    first =
        superseding.empty() ? tally->first_superseded : std::min(first, tally->first_superseded);
    superseding.push_back(generation->number());
  }
  const SqlName row = kRowColumn;
  for (const Source& stored : storedSources(table)) {
    const SqlText known = stored.condition + " AND c." + SqlText(kGenerationColumn) +
                          " <= " + SqlText::number(version_->stored);
    if (superseding.empty()) {
      sources.push_back({stored.table, known});
      continue;
    }
    // Rows before the first replaced row need no comparison with the replaced ones.
    sources.push_back({stored.table, known + " AND c." + row + " < " + SqlText::number(first)});
    sources.push_back({stored.table, known + " AND c." + row + " >= " + SqlText::number(first) +
                                         " AND NOT EXISTS (SELECT 1 FROM (" +
                                         selectSuperseded(table, superseding) + ") AS s WHERE s." +
                                         row + " = c." + row + ")"});
  }
}

std::vector<Run> Snapshot::State::runs(FamilyId family, std::string_view partition) const {
  const std::optional<PartitionNumber> number =
      core_->parts().partitions.find(partition, version_->number);
  if (!number) return {};
  const TableKey table{family, *number};
  std::vector<Run> runs = core_->parts().stored.runs(table);
  for (const std::shared_ptr<Generation>& generation : version_->generations) {
    const std::optional<Tally> tally = generation->tally(table);
    if (tally && tally->timed_rows > 0) runs.push_back(tally->run());
  }
  return runs;
}

Result<std::int64_t> Snapshot::State::countIn(const std::vector<Source>& sources,
                                              SqlView condition) {
  SqlText sql;
  for (const Source& source : sources) {
    if (!sql.empty()) sql += " UNION ALL ";
    sql += "SELECT count(*) FROM " + source.table + " AS c WHERE " + source.condition + " AND (" +
           condition + ")";
  }
  std::int64_t rows = 0;
  if (sql.empty()) return rows;
  TRY(forEachRow(query(sql, {}), [&rows](const Cursor& row) { rows += row.integer(0); }));
  return rows;
}

/// Returns the cached count of the rows in the file, unless newer rows have replaced some of them.
std::optional<CountCache::Count> Snapshot::State::cachedCount(TableKey table,
                                                              SqlView condition) const {
  if (!epoch_ || storedSources(table).empty()) return std::nullopt;
  for (const std::shared_ptr<Generation>& generation : version_->generations) {
    const std::optional<Tally> tally = generation->tally(table);
    if (tally && tally->superseded > 0) return std::nullopt;
  }
  CountCache::Count known =
      core_->parts().counts.find(table, condition.text(), *epoch_).value_or(CountCache::Count());
  if (known.generation > version_->stored) return std::nullopt;
  return known;
}

Result<std::int64_t> Snapshot::State::count(FamilyId family,
                                            std::string_view partition,
                                            SqlView condition) {
  const StoreParts& parts = core_->parts();
  const std::optional<PartitionNumber> number = parts.partitions.find(partition, version_->number);
  if (!number) return std::int64_t{0};
  const TableKey table{family, *number};
  std::optional<CountCache::Count> known = cachedCount(table, condition);
  if (!known) return countIn(sources(family, partition, std::nullopt), condition);
  if (known->generation < version_->stored) {
    const SqlText generation = "c." + SqlText(kGenerationColumn);
    std::vector<Source> later = storedSources(table);
    for (Source& source : later) {
      source.condition += " AND " + generation + " > " + SqlText::number(known->generation) +
                          " AND " + generation + " <= " + SqlText::number(version_->stored);
    }
    const std::int64_t rows = TRY(countIn(later, condition));
    known = {version_->stored, known->rows + rows};
    core_->parts().counts.put(table, condition.text(), *epoch_, *known);
  }
  std::vector<Source> recent;
  addRecent(table, std::nullopt, recent);
  const std::int64_t rows = TRY(countIn(recent, condition));
  return known->rows + rows;
}

Result<Cursor> Snapshot::State::query(SqlView sql, const std::vector<Value>& params) {
  auto source =
      std::make_unique<Cursor::Source>(reader_->connection(), core_->watchdog(),
                                       core_->parts().scans, core_->parts().options.query_time);
  Result<void> run = source->run(sql, params);
  if (!run && run.error().code() == ErrorCode::kInternal) {
    kLog.error("query_failed", {{"message", run.error().message()}, {"sql", sql.text()}});
  }
  if (!run) return std::move(run).error();
  return Cursor(std::move(source));
}

Snapshot::Snapshot(std::unique_ptr<State> state) : state_(opaque(std::move(state))) {}

SqlText Snapshot::from(FamilyId family, std::string_view partition) const {
  return state_->from(family, partition);
}

std::vector<Source> Snapshot::sources(FamilyId family, std::string_view partition) const {
  return state_->sources(family, partition, std::nullopt);
}

std::vector<Source> Snapshot::sourcesOf(FamilyId family,
                                        std::string_view partition,
                                        std::string_view key) const {
  return state_->sources(family, partition, key);
}

std::optional<Timestamp> Snapshot::newestWindow(FamilyId family,
                                                std::string_view partition,
                                                std::size_t rows) const {
  return newestEdge(state_->runs(family, partition), rows);
}

std::optional<Timestamp> Snapshot::oldestWindow(FamilyId family,
                                                std::string_view partition,
                                                std::size_t rows) const {
  return oldestEdge(state_->runs(family, partition), rows);
}

Result<std::int64_t> Snapshot::count(FamilyId family,
                                     std::string_view partition,
                                     SqlView condition) {
  return state_->count(family, partition, condition);
}

Result<Cursor> Snapshot::query(SqlView sql, const std::vector<Value>& params) {
  return state_->query(sql, params);
}

}  // namespace spindle::columnar
