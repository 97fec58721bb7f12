#include "columnar/store/journal_drain.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "columnar/changes/recent_tables.h"
#include "columnar/duckdb/table_sql.h"
#include "columnar/journal/family.h"
#include "columnar/store/generation_copy.h"
#include "columnar/store/journal_replay.h"

namespace spindle::columnar {
namespace {

[[noreturn]] void failDrain(const Error& error) {
  throw std::runtime_error("cannot recover the trace store: " + error.message());
}

void require(const Result<void>& done) {
  if (!done) failDrain(done.error());
}

class Drain final : public StepReceiver {
 public:
  Drain(StoreParts& parts, Connection& connection, GenerationNumber generation, StoredState& state)
      : parts_(parts),
        connection_(connection),
        number_(generation),
        state_(state),
        replay_(parts, generation, state.applied_steps, *this) {}

  DrainedJournal run() {
    const std::string path = parts_.journalPath(number_);
    DrainedJournal drained;
    const Journal journal(
        openFile(path), path, static_cast<std::uint64_t>(number_),
        [this](std::string_view record, std::uint64_t offset) { replay_.read(record, offset); },
        drained.end);
    state_.next_partition = std::max(state_.next_partition, parts_.partitions.nextNumber());
    state_.generation = number_;
    state_.applied_steps = 0;
    save(number_);
    drained.rows = rows_;
    drained.lost_steps = replay_.lostSteps();
    return drained;
  }

  void put(TableKey table, RowNumber number, Row row, RecordRange place) override {
    state_.next_row = std::max(state_.next_row, number + 1);
    rows_by_number_.insert_or_assign(number, Pending{table, std::move(row), place.bytes});
    bytes_ += place.bytes;
    ++rows_;
    saveIfFull();
  }

  void remove(TableKey table,
              RowNumber number,
              GenerationNumber /*generation*/,
              std::string_view /*key*/) override {
    if (rows_by_number_.erase(number) == 0) removed_.push_back({table, number});
    saveIfFull();
  }

 private:
  struct Pending {
    TableKey table;
    Row row;
    std::uint64_t bytes = 0;
  };
  struct Removed {
    TableKey table;
    RowNumber number = 0;
  };

  void saveIfFull() {
    const std::size_t steps = rows_by_number_.size() + removed_.size();
    if (bytes_ < parts_.options.recent_bytes && steps < parts_.options.recent_rows) return;
    state_.applied_steps = replay_.steps();
    state_.next_partition = std::max(state_.next_partition, parts_.partitions.nextNumber());
    // Marks the rows with a complete generation, because rows of an incomplete one would be
    // invisible.
    save(state_.generation);
  }

  /// Moves the pending rows into the file, marked with the generation `mark`.
  void save(GenerationNumber mark) {
    if (std::optional<Error> full = parts_.disk.reserve(bytes_)) failDrain(*full);
    // This generation only counts rows; the journal stays with its file.
    Generation piece(number_, nullptr, {}, parts_.deferred_deleter);
    dropTables();
    require(parts_.makeTables(connection_, number_));
    fillTables(piece);
    copy(piece, mark);
    dropTables();
    rows_by_number_.clear();
    removed_.clear();
    bytes_ = 0;
  }

  void fillTables(Generation& piece) {
    RecentTables tables(connection_, parts_.families, number_);
    Transaction transaction(connection_);
    require(transaction.begin());
    for (const auto& [number, pending] : rows_by_number_) {
      require(tables.add(pending.table, pending.row, number));
      piece.countRow(pending.table, parts_.families[pending.table.family],
                     {number, pending.row, pending.bytes});
    }
    for (const Removed& removed : removed_) {
      require(tables.addSuperseded(removed.table, removed.number));
      piece.countSuperseded(removed.table, removed.number);
    }
    require(tables.flush());
    require(transaction.commit());
  }

  void copy(const Generation& piece, GenerationNumber mark) {
    std::vector<Partitions::Named> names = parts_.partitions.takeNew();
    for (std::size_t pieces = 1;; pieces *= 4) {
      Result<std::vector<StoredTables::Addition>> added = copyOnce(piece, mark, names, pieces);
      if (added) {
        parts_.stored.added(*added, mark);
        return;
      }
      if (pieces >= kMostPieces || parts_.failed()) {
        parts_.partitions.returnNew(std::move(names));
        failDrain(added.error());
      }
    }
  }

  Result<std::vector<StoredTables::Addition>> copyOnce(const Generation& piece,
                                                       GenerationNumber mark,
                                                       const std::vector<Partitions::Named>& names,
                                                       std::size_t pieces) {
    Transaction transaction(connection_);
    TRY(transaction.begin());
    TRY(parts_.stored.saveNames(connection_, names));
    std::vector<StoredTables::Addition> added =
        TRY(copyGeneration(parts_, connection_, piece, {mark, state_, pieces}));
    TRY(transaction.commit());
    return added;
  }

  void dropTables() {
    for (const Family& family : parts_.families) {
      require(connection_.execute("DROP TABLE IF EXISTS " + recentTable(family, number_)));
    }
    require(connection_.execute("DROP TABLE IF EXISTS " + supersededTable(number_)));
  }

  StoreParts& parts_;
  Connection& connection_;
  const GenerationNumber number_;
  StoredState& state_;
  JournalReplay replay_;
  std::map<RowNumber, Pending> rows_by_number_;
  std::vector<Removed> removed_;
  std::uint64_t bytes_ = 0;
  std::int64_t rows_ = 0;
};

}  // namespace

DrainedJournal drainJournal(StoreParts& parts,
                            Connection& connection,
                            GenerationNumber generation,
                            StoredState& state) {
  return Drain(parts, connection, generation, state).run();
}

}  // namespace spindle::columnar
