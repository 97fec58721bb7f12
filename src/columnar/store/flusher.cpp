#include "columnar/store/flusher.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <optional>
#include <system_error>
#include <utility>

#include "columnar/duckdb/table_sql.h"
#include "columnar/journal/store_record.h"
#include "columnar/store/generation_copy.h"
#include "columnar/store/log.h"

namespace spindle::columnar {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kTick{1};
constexpr std::chrono::seconds kShortestRetryDelay{1};
constexpr std::chrono::seconds kLongestRetryDelay{60};
constexpr std::chrono::minutes kOldestRow{5};
constexpr std::chrono::seconds kOldestSuperseded{30};
constexpr std::chrono::minutes kOldestCheckpoint{5};
constexpr std::chrono::milliseconds kShortestCheckpointTimeout{20};
constexpr std::chrono::milliseconds kLongestCheckpointTimeout{2000};
constexpr std::uint64_t kFewestBytesToSeal = 1UL << 20;
constexpr std::uint64_t kLargeLog = 32UL << 20;
/// Limit of flushed journals that wait for a checkpoint, as a multiple of the size of a generation.
constexpr std::uint64_t kMostFlushed = 8;
/// Memory that DuckDB 1.4 uses for the description of one column of a row group.
constexpr std::size_t kDescriptionBytes = 5UL << 10;
/// The descriptions are also freed after this time, because queries load descriptions too.
constexpr std::chrono::hours kOldestAttachment{1};
/// Maximum number of partitions that one transaction drops.
constexpr std::size_t kDropsAtATime = 1000;

bool isOlder(std::optional<steady_clock::time_point> moment, steady_clock::duration age) {
  return moment && steady_clock::now() - *moment > age;
}

/// Returns the number of columns in the row groups of the added rows.
std::size_t columnsOf(const std::vector<StoredTables::Addition>& additions,
                      const std::vector<Family>& families) {
  std::vector<std::int64_t> rows(families.size());
  for (const StoredTables::Addition& addition : additions)
    rows[addition.table.family] += addition.tally.rows;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const auto groups = static_cast<std::size_t>((rows[i] + kRowGroupRows - 1) / kRowGroupRows);
    columns += groups * families[i].columns.size();
  }
  return columns;
}

std::vector<GenerationNumber> numbersOf(const Version& version) {
  std::vector<GenerationNumber> numbers;
  for (const std::shared_ptr<Generation>& g : version.generations) numbers.push_back(g->number());
  return numbers;
}

}  // namespace

Flusher::Flusher(StoreParts& parts)
    : parts_(parts),
      connection_(parts.engine.connect()),
      last_checkpoint_(steady_clock::now()),
      checkpoint_timeout_(kShortestCheckpointTimeout),
      attached_at_(steady_clock::now()),
      next_attempt_(steady_clock::now() + parts.pause),
      retry_delay_(kShortestRetryDelay) {}

Flusher::~Flusher() { stop(); }

void Flusher::start(Writer& writer) {
  writer_ = &writer;
  thread_ = std::thread([this] { loop(); });
}

void Flusher::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void Flusher::wake() {
  const MutexLock lock(mutex_);
  woken_ = true;
  changed_.notifyAll();
}

template <class T>
Result<T> Flusher::onThread(const std::function<Result<T>()>& work) {
  std::promise<Result<T>> promise;
  std::future<Result<T>> result = promise.get_future();
  {
    const MutexLock lock(mutex_);
    if (stopping_) return Error::unavailable("The trace store is closing.");
    jobs_.push_back([&promise, &work] { promise.set_value(work()); });
    changed_.notifyAll();
  }
  return result.get();
}

void Flusher::loop() {
  while (true) {
    std::vector<std::function<void()>> jobs;
    {
      const MutexLock lock(mutex_);
      if (!woken_ && !stopping_ && jobs_.empty()) changed_.waitFor(mutex_, kTick);
      woken_ = false;
      jobs = std::exchange(jobs_, {});
      // Callers that wait for a job get a result even during shutdown.
      if (stopping_ && jobs.empty()) return;
    }
    runPendingWork();
    for (const std::function<void()>& job : jobs) job();
  }
}

void Flusher::runPendingWork() {
  if (parts_.failed()) return;
  dropUnusedTables();
  if (steady_clock::now() < next_attempt_) return;
  Result<void> done = giveSpare();
  if (done) done = sealIfDue();
  if (done) done = flushSealed();
  if (done) done = dropRetired();
  if (done) done = checkpointIfDue();
  if (done) {
    retry_delay_ = kShortestRetryDelay;
    return;
  }
  writer_->flushFailed(done.error());
  next_attempt_ = steady_clock::now() + retry_delay_;
  retry_delay_ = std::min(2 * retry_delay_, kLongestRetryDelay);
}

Result<void> Flusher::giveSpare() {
  if (!writer_->needsSpare()) return {};
  std::shared_ptr<Generation> made =
      TRY(parts_.makeGeneration(*connection_, writer_->newestGeneration() + 1));
  writer_->giveSpare(std::move(made));
  return {};
}

Result<void> Flusher::sealIfDue() {
  const std::shared_ptr<const Version> version = parts_.visibility.current();
  const Generation& active = version->active();
  const auto bytes = static_cast<std::uint64_t>(active.bytes());
  const bool due = isOlder(active.firstRowAt(), kOldestRow) ||
                   isOlder(active.firstSupersededAt(), kOldestSuperseded) ||
                   (bytes > kFewestBytesToSeal && parts_.disk.isShort(bytes));
  if (!due) return {};
  return writer_->seal();
}

Result<void> Flusher::flushSealed() {
  while (true) {
    const std::shared_ptr<const Version> version = parts_.visibility.current();
    if (version->generations.size() < 2) return {};
    TRY(flushGeneration(*version->generations.front()));
    dropUnusedTables();
    TRY(giveSpare());
  }
}

Result<void> Flusher::flushGeneration(Generation& generation) {
  const Stopwatch watch(parts_.metrics.flush_seconds);
  if (std::optional<Error> full =
          parts_.disk.reserve(static_cast<std::uint64_t>(generation.bytes()))) {
    return *std::move(full);
  }
  // Lasts until the version without the removed rows is published.
  std::optional<RemovalEpoch::Removal> removal;
  if (generation.superseded() > 0) removal.emplace(parts_.removals);
  std::vector<Partitions::Named> names = parts_.partitions.takeNew();
  std::vector<StoredTables::Addition> additions;
  Result<void> moved = [&, this]() -> Result<void> {
    Transaction transaction(*connection_);
    TRY(transaction.begin());
    // Fixes the view of memory. A later generation supersedes rows that change from here on.
    Result<void> done =
        connection_->execute("SELECT count(*) FROM " + supersededTable(generation.number()));
    parts_.visibility.awaitEntered(parts_.visibility.current()->number);
    if (done) done = parts_.stored.saveNames(*connection_, names);
    if (!done) return done;
    std::vector<StoredTables::Addition> copied = TRY(copyGeneration(
        parts_, *connection_, generation,
        {generation.number(),
         {generation.number(), generation.lastRow() + 1, parts_.partitions.nextNumber(), 0},
         pieces_}));
    additions = std::move(copied);
    return transaction.commit();
  }();
  if (!moved) {
    parts_.partitions.returnNew(std::move(names));
    // Smaller parts need less memory for sorting.
    pieces_ = std::min(2 * pieces_, kMostPieces);
    return moved;
  }
  pieces_ = 1;
  parts_.stored.added(additions, generation.number());
  written_columns_ += columnsOf(additions, parts_.families);
  parts_.visibility.change([&generation](Version& version) {
    version.stored = generation.number();
    version.generations.erase(version.generations.begin());
  });
  noteFlushed(generation);
  writer_->flushed(generation.number());
  return {};
}

std::uint64_t Flusher::logBytes() const {
  std::error_code missing;
  const std::uintmax_t bytes =
      std::filesystem::file_size(parts_.options.folder + "/traces.duckdb.wal", missing);
  return missing ? 0 : bytes;
}

std::uint64_t Flusher::flushedJournalBytes() const {
  std::uint64_t bytes = 0;
  for (const StoreParts::FlushedJournal& journal : parts_.flushed_journals) bytes += journal.bytes;
  return bytes;
}

Result<void> Flusher::checkpointIfDue() {
  if (isHeld()) return {};
  const std::uint64_t bytes = logBytes();
  const std::uint64_t journals = flushedJournalBytes();
  const bool due = bytes > kLargeLog || journals > kMostFlushed * parts_.options.recent_bytes ||
                   (journals > 0 && parts_.disk.isShort(journals)) ||
                   (bytes + journals > 0 && isOlder(last_checkpoint_, kOldestCheckpoint));
  if (!due || steady_clock::now() < next_checkpoint_) return {};
  if (!TRY(checkpoint(checkpoint_timeout_))) {
    // Blocked statements wait for at most a tenth of the time.
    next_checkpoint_ = steady_clock::now() + 10 * checkpoint_timeout_;
    checkpoint_timeout_ = std::min(2 * checkpoint_timeout_, kLongestCheckpointTimeout);
  }
  return {};
}

Result<bool> Flusher::checkpoint(std::chrono::milliseconds timeout) {
  if (isHeld()) return false;
  if (std::optional<Error> full = parts_.disk.reserve(logBytes())) return *std::move(full);
  // The snapshots first: they must be able to complete their statements.
  const bool alone = isReattachDue() && parts_.snapshots.close(timeout);
  Result<bool> done = false;
  if (parts_.scans.close(timeout)) {
    done = checkpointAlone();
    if (alone && done && *done) {
      if (Result<void> renewed = reattach(); !renewed) done = std::move(renewed).error();
    }
    parts_.scans.open();
  }
  if (alone) parts_.snapshots.open();
  if (!done || !*done) return done;
  last_checkpoint_ = steady_clock::now();
  checkpoint_timeout_ = kShortestCheckpointTimeout;
  TRY(removeFlushedJournals());
  return true;
}

Result<bool> Flusher::checkpointAlone() {
  const Stopwatch watch(parts_.metrics.checkpoint_seconds);
  const Result<void> done = connection_->execute("CHECKPOINT stored");
  if (done) return true;
  // An old snapshot prevents the checkpoint.
  if (done.error().code() == ErrorCode::kUnavailable && !parts_.failed()) return false;
  return done.error();
}

bool Flusher::isReattachDue() const {
  return written_columns_ * kDescriptionBytes > parts_.options.description_bytes ||
         isOlder(attached_at_, kOldestAttachment);
}

Result<void> Flusher::reattach() {
  const steady_clock::time_point began = steady_clock::now();
  Result<void> done = parts_.engine.reattach(*connection_);
  if (!done) {
    kLog.error("reattach_failed", {{"message", done.error().message()}});
    return done;
  }
  attached_at_ = steady_clock::now();
  kLog.debug(
      "reattached",
      {{"columns", static_cast<std::int64_t>(written_columns_)},
       {"ms",
        std::chrono::duration_cast<std::chrono::milliseconds>(attached_at_ - began).count()}});
  written_columns_ = 0;
  return done;
}

Result<void> Flusher::removeFlushedJournals() {
  if (parts_.flushed_journals.empty()) return {};
  const GenerationNumber stored = parts_.visibility.current()->stored;
  TRY(saveRecord(parts_.options.folder,
                 {stored, writer_->nextRow(), parts_.partitions.nextNumber()}));
  for (const StoreParts::FlushedJournal& journal : parts_.flushed_journals) {
    std::error_code problem;
    std::filesystem::remove(journal.path, problem);
    if (problem) kLog.warning("journal_left", {{"message", problem.message()}});
  }
  parts_.flushed_journals.clear();
  return {};
}

void Flusher::dropUnusedTables() {
  const DeferredDeleter::Pending pending = parts_.deferred_deleter->takeAll();
  for (const GenerationNumber number : pending.generations) {
    for (const Family& family : parts_.families) {
      const Result<void> dropped =
          connection_->execute("DROP TABLE IF EXISTS " + recentTable(family, number));
      if (!dropped) kLog.warning("drop_failed", {{"message", dropped.error().message()}});
    }
    const Result<void> dropped =
        connection_->execute("DROP TABLE IF EXISTS " + supersededTable(number));
    if (!dropped) kLog.warning("drop_failed", {{"message", dropped.error().message()}});
  }
}

Result<void> Flusher::dropRetired() {
  const GenerationNumber stored = parts_.visibility.current()->stored;
  std::vector<PartitionNumber> numbers;
  for (const Partitions::Retired& retired : parts_.partitions.retired()) {
    if (retired.generation > stored || parts_.visibility.inUse(retired.version)) continue;
    numbers.push_back(retired.number);
    if (numbers.size() == kDropsAtATime) break;
  }
  if (numbers.empty()) return {};
  Transaction transaction(*connection_);
  Result<void> done = transaction.begin();
  if (done) done = parts_.stored.dropPartitions(*connection_, numbers);
  if (done) done = transaction.commit();
  if (!done) return done;
  parts_.stored.dropped(numbers);
  for (const PartitionNumber number : numbers) parts_.partitions.forget(number);
  return {};
}

Result<bool> Flusher::tryHold() {
  return onThread<bool>([this] { return holdNow(); });
}

Result<void> Flusher::flush() {
  return onThread<void>([this] { return flushAll(); });
}

Result<void> Flusher::flushAll() {
  if (parts_.failed()) return Error::unavailable("The trace store is being reopened.");
  Result<void> done = giveSpare();
  if (!done) return done;
  done = writer_->seal();
  if (done) done = flushSealed();
  if (done) done = dropRetired();
  if (!done) return done;
  TRY(checkpoint(kLongestCheckpointTimeout));
  return {};
}

Result<std::int64_t> Flusher::removeBefore(FamilyId family,
                                           std::string_view partition,
                                           SqlName column,
                                           Timestamp moment) {
  return onThread<std::int64_t>(
      [&, this] { return removeStored(family, partition, column, moment); });
}

Result<std::int64_t> Flusher::removeStored(FamilyId family,
                                           std::string_view partition,
                                           SqlName column,
                                           Timestamp moment) {
  const Family& of = parts_.families[family];
  std::optional<PartitionNumber> only;
  if (!partition.empty()) {
    only = parts_.partitions.find(partition);
    if (!only) return std::int64_t{0};
  }
  // Replaced rows are already invisible; the next flush removes them.
  const SqlText kept = " AND " + SqlText(kRowColumn) + " NOT IN (" +
                       selectSuperseded(family, numbersOf(*parts_.visibility.current())) + ")";
  std::vector<SqlText> statements;
  const auto remove = [&](SqlView table) {
    return "DELETE FROM " + SqlText(table) + " WHERE " + quotedName(column) + " < ?" + kept;
  };
  if (only) {
    const StoredTables::Location location = parts_.stored.locate({family, *only});
    if (location.shared) {
      statements.push_back(remove(sharedTable(of)) + " AND " + SqlText(kPartitionColumn) + " = " +
                           SqlText::number(*only));
    }
    if (location.own) statements.push_back(remove(ownTable(of, *only)));
  } else {
    statements.push_back(remove(sharedTable(of)));
    for (const PartitionNumber number : parts_.stored.partitionsWith(family, true)) {
      statements.push_back(remove(ownTable(of, number)));
    }
  }
  std::int64_t count = 0;
  const bool by_order = column.text() == of.columns[of.order].name.text();
  {
    const RemovalEpoch::Removal removal(parts_.removals);
    Transaction transaction(*connection_);
    TRY(transaction.begin());
    for (const SqlText& statement : statements) {
      std::int64_t removed = TRY(connection_->change(statement, {moment}));
      count += removed;
    }
    const std::vector<PartitionNumber> trimmed =
        only ? std::vector<PartitionNumber>{*only} : parts_.stored.partitionsWith(family, false);
    if (by_order && count > 0) {
      TRY(parts_.stored.saveTrimmed(*connection_, family, trimmed, moment));
    }
    TRY(transaction.commit());
    if (by_order && count > 0) parts_.stored.trimmed(family, trimmed, moment);
  }
  if (count > 0) {
    // Frees the disk space.
    TRY(checkpoint(checkpoint_timeout_));
  }
  return count;
}

}  // namespace spindle::columnar
