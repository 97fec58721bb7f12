#include "columnar/store/writer.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "columnar/duckdb/table_sql.h"
#include "columnar/journal/family.h"
#include "columnar/store/log.h"

namespace spindle::columnar {
namespace {

/// Recent rows, as a multiple of the size of a generation, at which writes slow down and stop.
constexpr double kSlowWritesAt = 1.75;
constexpr double kStopWritesAt = 2.75;
/// Delay of one group when memory is nearly full.
constexpr std::chrono::duration<double, std::milli> kLongestDelay{100};
constexpr int kApplyAttempts = 5;
constexpr std::chrono::milliseconds kApplyPause{50};

}  // namespace

Writer::Writer(StoreParts& parts, WriterStart start, std::function<void()> wake_flusher)
    : parts_(parts),
      wake_flusher_(std::move(wake_flusher)),
      queue_(parts.options.queued_bytes, parts.metrics.queued_bytes),
      connection_(parts.engine.connect()),
      generations_(std::move(start.generations)),
      recent_(std::move(start.recent)),
      filters_(parts.families, parts.stored, *connection_, parts.scans),
      next_row_(start.next_row) {
  for (const std::shared_ptr<Generation>& generation : generations_) {
    tables_.emplace(std::piecewise_construct, std::forward_as_tuple(generation->number()),
                    std::forward_as_tuple(*connection_, parts_.families, generation->number()));
  }
  recent_.forEachKey([this](std::string_view full_key) {
    const TableKey table = tableIn(full_key);
    filters_.add(table.family, full_key);
  });
  newest_ = active().number();
  updateMetrics();
  thread_ = std::thread([this] { loop(); });
}

Writer::~Writer() { stop(); }

void Writer::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
}

template <class T>
Result<T> Writer::onThread(const std::function<Result<T>()>& work) {
  std::promise<Result<T>> promise;
  std::future<Result<T>> result = promise.get_future();
  const bool taken = queue_.post([&promise, &work] { promise.set_value(work()); });
  if (!taken) return Error::unavailable("The trace store is closing.");
  return result.get();
}

void Writer::loop() {
  while (true) {
    WriteQueue::Work work = queue_.take(isMemoryFull() && !currentError());
    if (work.closed) return;
    for (const WriteQueue::Task& task : work.tasks) task();
    if (work.batch) {
      throttle();
      process(*work.batch);
      queue_.finish(*work.batch);
      sealIfFull();
    }
  }
}

std::optional<Error> Writer::currentError() const {
  if (parts_.failed()) {
    return Error::unavailable("The trace store is being reopened; try again.");
  }
  if (flush_error_ && isMemoryFull()) return flush_error_;
  return std::nullopt;
}

std::size_t Writer::recentBytes() const {
  std::int64_t bytes = 0;
  for (const std::shared_ptr<Generation>& generation : generations_) bytes += generation->bytes();
  return static_cast<std::size_t>(bytes);
}

bool Writer::isMemoryFull() const {
  return static_cast<double>(recentBytes()) >
         kStopWritesAt * static_cast<double>(parts_.options.recent_bytes);
}

void Writer::throttle() const {
  const double full =
      static_cast<double>(recentBytes()) / static_cast<double>(parts_.options.recent_bytes);
  if (full > kSlowWritesAt && !currentError())
    std::this_thread::sleep_for((full - kSlowWritesAt) * kLongestDelay);
}

ChangeGroupSources Writer::sources() {
  return {parts_.families, parts_.partitions, recent_,
          parts_.stored,   filters_,          generations_,
          *connection_,    parts_.scans,      parts_.options.change_bytes};
}

void Writer::process(Batch& batch) {
  const Result<void> stored = processTogether(batch.changes, batch);
  const bool together = stored || stored.error().code() != ErrorCode::kTooLarge;
  if (together || batch.changes.size() == 1) return;
  // One of the changes reads too much; store the others without it.
  for (QueuedChange* queued : batch.changes) {
    queued->outcome = {};
    (void)processTogether({queued}, batch);
  }
}

Result<void> Writer::processTogether(const std::vector<QueuedChange*>& changes, Batch& batch) {
  auto group = std::make_shared<ChangeGroup>(sources());
  Result<void> stored = plan(*group, changes, batch.bytes);
  if (stored) stored = store(*group);
  batch.leftover = std::move(group);
  if (!stored) {
    for (QueuedChange* queued : changes) {
      if (queued->outcome) queued->outcome = stored.error();
    }
    return stored;
  }
  parts_.metrics.changes.add(changes.size());
  updateMetrics();
  return stored;
}

Result<void> Writer::plan(ChangeGroup& group,
                          const std::vector<QueuedChange*>& changes,
                          std::size_t bytes) {
  if (std::optional<Error> error = currentError()) return *std::move(error);
  if (!parts_.disk.admits(recentBytes() + bytes)) {
    wake_flusher_();
    return diskFull();
  }
  std::vector<RowKey> wanted;
  for (const QueuedChange* queued : changes) {
    std::vector<RowKey> wants = queued->change.wants();
    wanted.insert(wanted.end(), std::make_move_iterator(wants.begin()),
                  std::make_move_iterator(wants.end()));
  }
  TRY(group.fetch(wanted));
  for (QueuedChange* queued : changes) queued->outcome = group.run(queued->change);
  return group.locateTouchedRows();
}

Result<void> Writer::store(const ChangeGroup& group, std::optional<PartitionNumber> retired) {
  const std::vector<ChangeGroup::Step> steps = group.steps();
  if (steps.empty() && !retired) return {};
  RecordWriter record;
  if (!families_defined_) {
    for (FamilyId id = 0; id < parts_.families.size(); ++id) {
      record.defineFamily(id, parts_.families[id].name.text());
    }
  }
  for (const Partitions::Named& named : group.newPartitions()) {
    record.definePartition(named.number, named.name);
  }
  const std::vector<PartitionNumber> defined = definePartitions(group, steps, record);
  std::vector<RowLocation> places;
  places.reserve(steps.size());
  RowNumber row = next_row_;
  for (const ChangeGroup::Step& step : steps) {
    if (step.before) {
      record.remove(step.table.family, step.table.partition, step.before->number,
                    step.before->generation, step.key);
    }
    RowLocation place{0, active().number(), {}};
    if (step.after != nullptr) {
      place.number = row++;
      place.span = record.put(step.table.family, step.table.partition, place.number, *step.after);
    }
    places.push_back(place);
  }
  if (retired) record.retirePartition(*retired);
  std::uint64_t offset = TRY([this, &record] {
    const Stopwatch watch(parts_.metrics.journal_seconds);
    return active().journal().append(record.bytes());
  }());
  families_defined_ = true;
  partitions_defined_.insert(defined.begin(), defined.end());
  parts_.metrics.groups.add();
  parts_.metrics.journal_bytes.add(record.bytes().size());
  for (RowLocation& place : places) place.span.offset += offset;
  for (const Partitions::Named& named : group.newPartitions()) {
    parts_.partitions.define(named.number, named.name);
  }
  const RowNumber first_row = next_row_.exchange(row);
  updateIndex(steps, places);
  apply(steps, first_row);
  return {};
}

std::vector<PartitionNumber> Writer::definePartitions(const ChangeGroup& group,
                                                      const std::vector<ChangeGroup::Step>& steps,
                                                      RecordWriter& record) const {
  std::set<PartitionNumber> known;
  for (const Partitions::Named& named : group.newPartitions()) known.insert(named.number);
  for (const ChangeGroup::Step& step : steps) {
    const PartitionNumber number = step.table.partition;
    if (partitions_defined_.count(number) > 0 || !known.insert(number).second) continue;
    if (const std::optional<std::string> name = parts_.partitions.nameOf(number)) {
      record.definePartition(number, *name);
    }
  }
  return {known.begin(), known.end()};
}

void Writer::updateIndex(const std::vector<ChangeGroup::Step>& steps,
                         const std::vector<RowLocation>& places) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ChangeGroup::Step& step = steps[i];
    if (step.before) recent_.erase(step.full_key, step.before->generation);
    if (step.before && step.before->generation != active().number()) {
      recent_.supersede(step.before->number);
      active().countSuperseded(step.table, step.before->number);
    }
    if (step.after == nullptr) continue;
    recent_.put(step.full_key, places[i]);
    filters_.add(step.table.family, step.full_key);
    active().countRow(step.table, parts_.families[step.table.family],
                      {places[i].number, *step.after, places[i].span.bytes});
  }
}

void Writer::apply(const std::vector<ChangeGroup::Step>& steps, RowNumber first_row) {
  for (int attempt = 1;; ++attempt) {
    const Result<void> applied = applyOnce(steps, first_row);
    if (applied) return;
    if (attempt == kApplyAttempts || parts_.failed()) {
      // The journal contains the group, so it is durable. Memory lacks it, so nobody may read any
      // more.
      kLog.error("apply_failed", {{"message", applied.error().message()}});
      parts_.broken = true;
      return;
    }
    std::this_thread::sleep_for(kApplyPause);  // a query that uses much memory may end
  }
}

Result<void> Writer::applyOnce(const std::vector<ChangeGroup::Step>& steps, RowNumber first_row) {
  RecentTables& tables = tables_.at(active().number());
  Transaction transaction(*connection_);
  // If rows are only added, to one table, DuckDB's implicit transaction is cheaper.
  const bool simple =
      std::all_of(steps.begin(), steps.end(), [&steps](const ChangeGroup::Step& step) {
        return !step.before && step.table.family == steps.front().table.family;
      });
  if (!simple) {
    TRY(transaction.begin());
  }
  Result<void> done = fill(tables, steps, first_row);
  if (done) done = tables.flush();
  if (!done) {
    // The appenders add incomplete rows when they are destroyed. Do that in a transaction that is
    // rolled back.
    if (simple && !transaction.begin()) parts_.broken = true;
    tables.discard();
    return done;
  }
  return simple ? done : transaction.commit();
}

Result<void> Writer::fill(RecentTables& tables,
                          const std::vector<ChangeGroup::Step>& steps,
                          RowNumber first_row) {
  std::map<GenerationNumber, std::map<FamilyId, std::vector<RowNumber>>> removals;
  RowNumber row = first_row;
  for (const ChangeGroup::Step& step : steps) {
    if (step.before) {
      const GenerationNumber generation = step.before->generation;
      if (generation != 0) removals[generation][step.table.family].push_back(step.before->number);
      if (generation != active().number()) {
        TRY(tables.addSuperseded(step.table, step.before->number));
      }
    }
    if (step.after == nullptr) continue;
    TRY(tables.add(step.table, *step.after, row++));
  }
  for (const auto& [generation, families] : removals) {
    for (const auto& [family, numbers] : families) {
      TRY(tables_.at(generation).remove(family, numbers));
    }
  }
  return {};
}

void Writer::sealIfFull() {
  if (!spare_ || parts_.failed()) return;
  const StoreOptions& options = parts_.options;
  const auto changes = static_cast<std::size_t>(active().rows() + active().superseded());
  // Changes that cancel each other only make the journal longer.
  const bool full = static_cast<std::size_t>(active().bytes()) >= options.recent_bytes ||
                    changes >= options.recent_rows ||
                    active().journal().size() >= 2 * options.recent_bytes;
  if (full) sealNow();
}

void Writer::sealNow() {
  tables_.at(active().number()).discard();
  generations_.push_back(std::exchange(spare_, nullptr));
  tables_.emplace(std::piecewise_construct, std::forward_as_tuple(active().number()),
                  std::forward_as_tuple(*connection_, parts_.families, active().number()));
  recent_.begin(active().number());
  newest_ = active().number();
  families_defined_ = false;
  partitions_defined_.clear();
  parts_.visibility.change(
      [this](Version& version) { version.generations.push_back(generations_.back()); });
  needs_spare_ = true;
  wake_flusher_();
}

Result<void> Writer::seal() {
  return onThread<void>([this]() -> Result<void> {
    if (active().journal().isEmpty()) return {};
    if (!spare_ || parts_.failed())
      return Error::unavailable("The next generation of the trace store is not ready.");
    sealNow();
    return {};
  });
}

void Writer::giveSpare(std::shared_ptr<Generation> generation) {
  needs_spare_ = false;
  queue_.post([this, generation = std::move(generation)]() {
    spare_ = generation;
    sealIfFull();
  });
}

void Writer::flushed(GenerationNumber generation) {
  queue_.post([this, generation] {
    flush_error_.reset();
    parts_.deferred_deleter->add(recent_.end(generation));
    tables_.erase(generation);
    std::erase_if(generations_, [generation](const std::shared_ptr<Generation>& g) {
      return g->number() == generation;
    });
    updateMetrics();
    wake_flusher_();
  });
}

Result<std::vector<HeldFile>> Writer::journals() {
  return onThread<std::vector<HeldFile>>([this]() -> Result<std::vector<HeldFile>> {
    if (parts_.failed()) return Error::unavailable("The trace store is being reopened.");
    std::vector<HeldFile> files;
    for (const std::shared_ptr<Generation>& generation : generations_) {
      if (!generation->journal().isEmpty()) files.push_back(heldJournal(*generation));
    }
    return files;
  });
}

void Writer::flushFailed(Error error) {
  queue_.post([this, error = std::move(error)] { flush_error_ = error; });
}

Result<std::int64_t> Writer::removeBefore(FamilyId family,
                                          std::string_view partition,
                                          SqlName column,
                                          Timestamp moment) {
  return onThread<std::int64_t>([&, this]() -> Result<std::int64_t> {
    if (std::optional<Error> error = currentError()) return *std::move(error);
    return removeRecent(family, partition, column, moment);
  });
}

Result<std::int64_t> Writer::removeRecent(FamilyId family,
                                          std::string_view partition,
                                          SqlName column,
                                          Timestamp moment) {
  const std::optional<PartitionNumber> number = parts_.partitions.find(partition);
  if (!partition.empty() && !number) return 0;
  ChangeGroup group(sources());
  for (const std::shared_ptr<Generation>& generation : generations_) {
    TRY(collect(group, *generation, {family, number.value_or(0)}, partition.empty(), column,
                moment));
  }
  const auto count = static_cast<std::int64_t>(group.steps().size());
  TRY(store(group));
  return count;
}

Result<void> Writer::collect(ChangeGroup& group,
                             const Generation& generation,
                             TableKey table,
                             bool all_partitions,
                             SqlName column,
                             Timestamp moment) {
  const Family& family = parts_.families[table.family];
  SqlText sql = "SELECT " + quotedName(family.columns[family.key].name) + ", " +
                SqlText(kPartitionColumn) + " FROM " + recentTable(family, generation.number()) +
                " WHERE " + quotedName(column) + " < ?";
  if (!all_partitions) {
    sql += " AND " + SqlText(kPartitionColumn) + " = " + SqlText::number(table.partition);
  }
  return forEachRow(
      *connection_, sql, {moment}, [&, this](const QueryResult& result, std::size_t row) {
        const std::string_view key = result.text(0, row);
        const TableKey of{table.family, static_cast<PartitionNumber>(result.integer(1, row))};
        const std::optional<RowLocation> place = recent_.find(fullKey(of, key));
        if (place) group.eraseAt(of, key, *place);
      });
}

Result<void> Writer::retirePartition(std::string_view partition) {
  return onThread<void>([&, this]() -> Result<void> {
    if (std::optional<Error> error = currentError()) return *std::move(error);
    const std::optional<PartitionNumber> number = parts_.partitions.find(partition);
    if (!number) return {};
    const ChangeGroup nothing(sources());
    TRY(store(nothing, *number));
    // The version and the name change together, so a snapshot sees both or neither.
    parts_.visibility.change([&, this](Version& version) {
      parts_.partitions.retire({*number, version.number, active().number()});
    });
    wake_flusher_();
    return {};
  });
}

void Writer::updateMetrics() {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  for (const std::shared_ptr<Generation>& generation : generations_) {
    rows += generation->rows();
    bytes += generation->bytes();
  }
  parts_.metrics.recent_rows.set(rows);
  parts_.metrics.recent_bytes.set(bytes);
}

}  // namespace spindle::columnar
