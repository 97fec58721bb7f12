#include "columnar/store/recovery.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "columnar/changes/recent_tables.h"
#include "columnar/journal/family.h"
#include "columnar/journal/row_codec.h"
#include "columnar/journal/store_record.h"
#include "columnar/store/journal_drain.h"
#include "columnar/store/journal_replay.h"
#include "columnar/store/log.h"

namespace spindle::columnar {
namespace {

/// Limit of journals that are read into memory, as a multiple of the size of a generation.
constexpr double kMostInMemory = 2.5;

[[noreturn]] void failRecovery(const Error& error) {
  throw std::runtime_error("cannot recover the trace store: " + error.message() +
                           std::string(kDamageAdvice));
}

struct FoundJournal {
  GenerationNumber generation = 0;
  std::uint64_t bytes = 0;
};

/// Returns the journals whose rows are not completely in the file, in order. Lists the others for
/// the flusher; removes empty ones.
std::vector<FoundJournal> journalsAfter(StoreParts& parts, GenerationNumber stored) {
  std::vector<FoundJournal> found;
  for (const auto& entry : std::filesystem::directory_iterator(parts.options.folder)) {
    const std::optional<GenerationNumber> number =
        journalGeneration(entry.path().filename().string());
    if (!number) continue;
    const std::string path = entry.path().string();
    if (!entry.is_regular_file()) {
      kLog.error("journal_damaged", {{"kept_as", moveToDamaged(path)}});
      parts.metrics.incomplete.set(1);
      continue;
    }
    const std::unique_ptr<File> file = openFile(path);
    if (Journal::hasNoRecords(*file)) {
      std::filesystem::remove(path);
    } else if (*number <= stored) {
      parts.flushed_journals.push_back({path, file->size()});
    } else {
      found.push_back({*number, file->size()});
    }
  }
  std::sort(found.begin(), found.end(), [](const FoundJournal& a, const FoundJournal& b) {
    return a.generation < b.generation;
  });
  return found;
}

/// Loads the rows of one journal into the start state of the writer.
class Load final : public StepReceiver {
 public:
  Load(const std::vector<Family>& families, WriterStart& start, GenerationNumber generation)
      : families_(families), start_(start), generation_(generation) {}

  struct Superseded {
    TableKey table;
    RowNumber number = 0;
  };

  void put(TableKey table, RowNumber number, Row row, RecordRange place) override {
    start_.next_row = std::max(start_.next_row, number + 1);
    const std::string& key = std::get<std::string>(row[families_[table.family].key]);
    start_.recent.put(fullKey(table, key), {number, generation_, place});
    tables_.emplace(number, table);
  }

  void remove(TableKey table,
              RowNumber number,
              GenerationNumber generation,
              std::string_view key) override {
    start_.recent.erase(fullKey(table, key), generation);
    if (generation == generation_) return;
    start_.recent.supersede(number);
    superseded_.push_back({table, number});
  }

  /// Returns the table of a row that this journal added.
  TableKey tableOf(RowNumber number) const { return tables_.at(number); }
  const std::vector<Superseded>& superseded() const { return superseded_; }

 private:
  const std::vector<Family>& families_;
  WriterStart& start_;
  const GenerationNumber generation_;
  std::map<RowNumber, TableKey> tables_;
  std::vector<Superseded> superseded_;
};

/// Adds the current rows of a journal to the tables of its generation.
void fillTables(StoreParts& parts,
                Connection& connection,
                Generation& generation,
                const Load& load,
                const RecentRows& recent) {
  std::vector<RowLocation> places;
  recent.forEach(generation.number(), [&places](const RowLocation& p) { places.push_back(p); });
  std::sort(places.begin(), places.end(),
            [](const RowLocation& a, const RowLocation& b) { return a.number < b.number; });
  RecentTables tables(connection, parts.families, generation.number());
  Transaction transaction(connection);
  if (const Result<void> begun = transaction.begin(); !begun) failRecovery(begun.error());
  for (const RowLocation& place : places) {
    const TableKey table = load.tableOf(place.number);
    const Family& family = parts.families[table.family];
    const std::optional<Row> row = decodeRow(
        generation.journal().read(place.span.offset, place.span.bytes), family.columns.size());
    if (!row) throw std::runtime_error("cannot read " + generation.journalPath() + " again");
    const Result<void> added = tables.add(table, *row, place.number);
    if (!added) failRecovery(added.error());
    generation.countRow(table, family, {place.number, *row, place.span.bytes});
  }
  for (const Load::Superseded& superseded : load.superseded()) {
    const Result<void> added = tables.addSuperseded(superseded.table, superseded.number);
    if (!added) failRecovery(added.error());
    generation.countSuperseded(superseded.table, superseded.number);
  }
  if (const Result<void> flushed = tables.flush(); !flushed) failRecovery(flushed.error());
  if (const Result<void> done = transaction.commit(); !done) failRecovery(done.error());
}

/// Returns true if a part of the journal is unreadable. Only the last journal may have a torn end.
bool isDamaged(const Journal::End& end, bool last) {
  return end.lost_bytes > 0 || (end.torn && !last);
}

class Recovery {
 public:
  explicit Recovery(StoreParts& parts) : parts_(parts), connection_(parts.engine.connect()) {}

  WriterStart run() {
    state_ = parts_.stored.open(*connection_, parts_.partitions);
    newest_ = state_.generation;
    compareWithRecord();
    const std::vector<FoundJournal> journals = journalsAfter(parts_, state_.generation);
    reportGap(journals);
    const std::size_t drained = countToDrain(journals);
    for (std::size_t i = 0; i < drained; ++i) drain(journals[i].generation);
    loadAll(journals, drained);
    if (!journals.empty()) newest_ = std::max(newest_, journals.back().generation);
    if (rows_ > 0) {
      kLog.info("journal_replayed",
                {{"rows", rows_}, {"journals", journals.size()}, {"to_file", drained}});
    }
    start_.next_row = std::max(start_.next_row, state_.next_row);
    if (start_.generations.empty()) begin();
    parts_.visibility.change([this](Version& version) {
      version.stored = state_.generation;
      version.generations = start_.generations;
    });
    return std::move(start_);
  }

 private:
  /// Detects a file that contains less than the record says, so it is not the file that was written
  /// last.
  void compareWithRecord() {
    const std::optional<StoreRecord> record = loadRecord(parts_.options.folder);
    if (!record) return;
    state_.next_row = std::max(state_.next_row, record->next_row);
    state_.next_partition = std::max(state_.next_partition, record->next_partition);
    parts_.partitions.reserve(state_.next_partition);
    newest_ = std::max(newest_, record->generation);
    if (state_.generation >= record->generation) return;
    kLog.error("file_behind_record",
               {{"file_generation", state_.generation},
                {"record_generation", record->generation},
                {"message",
                 "traces.duckdb is older than the trace store's record of it, so calls and spans "
                 "are missing; restore the folder from a backup to recover them"}});
    parts_.metrics.incomplete.set(1);
  }

  /// Detects missing journals.
  void reportGap(const std::vector<FoundJournal>& journals) {
    GenerationNumber next = newest_ + 1;
    for (const FoundJournal& journal : journals) {
      if (journal.generation > next) {
        kLog.error("journals_missing", {{"first", next}, {"last", journal.generation - 1}});
        parts_.metrics.incomplete.set(1);
      }
      next = std::max(next, journal.generation + 1);
    }
  }

  /// Returns the number of journals, from the oldest, to move into the file immediately: those that
  /// do not fit in memory together with the later ones, those whose move was interrupted, and those
  /// up to the last damaged one, because a damaged journal must not be appended to.
  std::size_t countToDrain(const std::vector<FoundJournal>& journals) {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    const double most = kMostInMemory * static_cast<double>(parts_.options.recent_bytes);
    for (std::size_t i = journals.size(); i > 0; --i) {
      const FoundJournal& journal = journals[i - 1];
      bytes += journal.bytes;
      const bool resumed = journal.generation == state_.generation + 1 && state_.applied_steps > 0;
      if (resumed || static_cast<double>(bytes) > most) count = std::max(count, i);
      if (keepIfDamaged(journal.generation, i == journals.size())) count = std::max(count, i);
    }
    return count;
  }

  /// Adds a hard link to a damaged journal, because the first name is removed with its rows.
  bool keepIfDamaged(GenerationNumber number, bool last) {
    const std::string path = parts_.journalPath(number);
    Journal::End end;
    const Journal journal(
        openFile(path), path, static_cast<std::uint64_t>(number),
        [](std::string_view /*record*/, std::uint64_t /*offset*/) {}, end);
    if (!isDamaged(end, last)) return false;
    kLog.error("journal_damaged", {{"lost_bytes", end.lost_bytes},
                                   {"whole_bytes", end.bytes - end.lost_bytes},
                                   {"kept_as", linkToDamaged(path)}});
    parts_.metrics.incomplete.set(1);
    return true;
  }

  void reportLostSteps(GenerationNumber number, std::int64_t lost) {
    if (lost == 0) return;
    kLog.error("journal_rows_lost",
               {{"rows", lost}, {"kept_as", linkToDamaged(parts_.journalPath(number))}});
    parts_.metrics.incomplete.set(1);
  }

  void drain(GenerationNumber number) {
    const DrainedJournal drained = drainJournal(parts_, *connection_, number, state_);
    rows_ += drained.rows;
    reportLostSteps(number, drained.lost_steps);
    parts_.flushed_journals.push_back({parts_.journalPath(number), drained.end.bytes});
  }

  struct Loaded {
    std::shared_ptr<Generation> generation;
    std::unique_ptr<Load> rows;
  };

  /// Loads each journal into memory as one generation. Reads all journals before filling the first
  /// table, because a later journal may replace rows of an earlier one.
  void loadAll(const std::vector<FoundJournal>& journals, std::size_t first) {
    std::vector<Loaded> all;
    for (std::size_t i = first; i < journals.size(); ++i) {
      all.push_back(load(journals[i].generation));
    }
    for (const Loaded& loaded : all) {
      Generation& generation = *loaded.generation;
      const Result<void> made = parts_.makeTables(*connection_, generation.number());
      if (!made) failRecovery(made.error());
      fillTables(parts_, *connection_, generation, *loaded.rows, start_.recent);
      rows_ += generation.rows();
      start_.generations.push_back(loaded.generation);
    }
  }

  Loaded load(GenerationNumber number) {
    const std::string path = parts_.journalPath(number);
    start_.recent.begin(number);
    auto rows = std::make_unique<Load>(parts_.families, start_, number);
    JournalReplay replay(parts_, number, 0, *rows);
    Journal::End end;
    auto journal = std::make_unique<Journal>(
        openFile(path), path, static_cast<std::uint64_t>(number),
        [&replay](std::string_view record, std::uint64_t offset) { replay.read(record, offset); },
        end);
    if (end.torn) {
      kLog.warning("journal_torn", {{"path", path}, {"kept_bytes", end.bytes}});
      journal->truncateTail();
    }
    reportLostSteps(number, replay.lostSteps());
    return {std::make_shared<Generation>(number, std::move(journal), path, parts_.deferred_deleter),
            std::move(rows)};
  }

  /// Starts the first generation after those in the file.
  void begin() {
    const GenerationNumber next = newest_ + 1;
    Result<std::shared_ptr<Generation>> active = parts_.makeGeneration(*connection_, next);
    if (!active) failRecovery(active.error());
    start_.recent.begin(next);
    start_.generations.push_back(*std::move(active));
  }

  StoreParts& parts_;
  const std::unique_ptr<Connection> connection_;
  WriterStart start_;
  StoredState state_;
  GenerationNumber newest_ = 0;  ///< newest generation that is known to have been started
  std::int64_t rows_ = 0;
};

}  // namespace

std::optional<GenerationNumber> journalGeneration(const std::string& name) {
  constexpr std::string_view kBefore = "journal-";
  constexpr std::string_view kBehind = ".log";
  if (name.size() <= kBefore.size() + kBehind.size() || name.rfind(kBefore, 0) != 0) {
    return std::nullopt;
  }
  const char* end = name.data() + name.size() - kBehind.size();
  GenerationNumber number = 0;
  const auto read = std::from_chars(name.data() + kBefore.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end || end != name.data() + name.find(kBehind)) {
    return std::nullopt;
  }
  return number;
}

WriterStart recover(StoreParts& parts) { return Recovery(parts).run(); }

}  // namespace spindle::columnar
