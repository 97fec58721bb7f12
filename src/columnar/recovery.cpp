#include "columnar/recovery.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "columnar/recent_tables.h"
#include "columnar/row_codec.h"

namespace spindle::columnar {
namespace {

constexpr Logger kLog("columnar");

[[noreturn]] void fail(const Error& error) {
  throw std::runtime_error("cannot recover the trace store: " + error.message());
}

std::optional<GenerationNumber> generationOf(const std::string& name) {
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

/// The journals whose rows the file does not have yet, in order; removes the others.
std::vector<GenerationNumber> journalsAfter(const StoreParts& parts, GenerationNumber stored) {
  std::vector<GenerationNumber> numbers;
  for (const auto& entry : std::filesystem::directory_iterator(parts.options.folder)) {
    const std::optional<GenerationNumber> number = generationOf(entry.path().filename().string());
    if (!number) continue;
    if (*number <= stored || Journal::isUnbegun(*openFile(entry.path().string()))) {
      std::filesystem::remove(entry.path());
    } else {
      numbers.push_back(*number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Reads the records of one journal into what the writer knows.
class Replay final : public RecordVisitor {
 public:
  Replay(StoreParts& parts, WriterStart& start, GenerationNumber generation)
      : parts_(parts), start_(start), generation_(generation) {}

  struct Superseded {
    TableKey table;
    RowNumber number = 0;
  };

  void read(std::string_view record, std::uint64_t offset) {
    offset_ = offset;
    if (!readRecord(record, *this) || broken_) {
      throw std::runtime_error(parts_.journalPath(generation_) + " is damaged at byte " +
                               std::to_string(offset));
    }
  }

  void defineFamily(FamilyId family, std::string_view name) override {
    for (FamilyId id = 0; id < parts_.families.size(); ++id) {
      if (parts_.families[id].name == name) families_[family] = id;
    }
    if (families_.count(family) == 0) broken_ = true;
  }

  void definePartition(PartitionNumber number, std::string_view name) override {
    if (!parts_.partitions.isDefined(number)) parts_.partitions.define(number, name);
  }

  void retirePartition(PartitionNumber number) override {
    parts_.partitions.retire({number, 0, generation_});
  }

  void put(FamilyId family,
           PartitionNumber partition,
           RowNumber number,
           std::string_view row,
           Span place) override {
    const auto id = families_.find(family);
    if (id == families_.end()) {
      broken_ = true;
      return;
    }
    const Family& of = parts_.families[id->second];
    const std::optional<Row> values = decodeRow(row, of.columns.size());
    const std::string* key = values ? std::get_if<std::string>(&(*values)[of.key]) : nullptr;
    if (key == nullptr) {
      broken_ = true;
      return;
    }
    start_.next_row = std::max(start_.next_row, number + 1);
    start_.recent.put(fullKey({id->second, partition}, *key),
                      {number, generation_, {offset_ + place.offset, place.bytes}});
    tables_.emplace(number, TableKey{id->second, partition});
  }

  void remove(FamilyId family,
              PartitionNumber partition,
              RowNumber number,
              GenerationNumber generation,
              std::string_view key) override {
    const auto id = families_.find(family);
    if (id == families_.end()) {
      broken_ = true;
      return;
    }
    const TableKey table{id->second, partition};
    start_.recent.erase(fullKey(table, key), generation);
    if (generation == generation_) return;
    start_.recent.supersede(number);
    superseded_.push_back({table, number});
  }

  /// Of the rows that this journal has put.
  TableKey tableOf(RowNumber number) const { return tables_.at(number); }
  const std::vector<Superseded>& superseded() const { return superseded_; }

 private:
  StoreParts& parts_;
  WriterStart& start_;
  const GenerationNumber generation_;
  std::uint64_t offset_ = 0;
  bool broken_ = false;
  std::map<FamilyId, FamilyId> families_;  // position in the journal, position now
  std::map<RowNumber, TableKey> tables_;
  std::vector<Superseded> superseded_;
};

std::optional<Timestamp> orderOf(const Family& family, const Row& row) {
  const Timestamp* time = std::get_if<Timestamp>(&row[family.order]);
  return time == nullptr ? std::nullopt : std::optional(*time);
}

/// Puts the rows of a journal that are still wanted into the generation's tables.
void fillTables(StoreParts& parts,
                Connection& connection,
                Generation& generation,
                const Replay& replay,
                const RecentRows& recent) {
  std::vector<Place> places;
  recent.forEach(generation.number(), [&places](const Place& p) { places.push_back(p); });
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.number < b.number; });
  RecentTables tables(connection, parts.families, generation.number());
  Transaction transaction(connection);
  if (const Result<void> begun = transaction.begin(); !begun) fail(begun.error());
  for (const Place& place : places) {
    const TableKey table = replay.tableOf(place.number);
    const Family& family = parts.families[table.family];
    const std::optional<Row> row = decodeRow(
        generation.journal().read(place.span.offset, place.span.bytes), family.columns.size());
    if (!row) throw std::runtime_error("cannot read " + generation.journalPath() + " again");
    const Result<void> added = tables.add(table, *row, place.number);
    if (!added) fail(added.error());
    generation.countRow(table, place.number, orderOf(family, *row),
                        std::get<std::string>((*row)[family.key]), place.span.bytes);
  }
  for (const Replay::Superseded& superseded : replay.superseded()) {
    const Result<void> added = tables.addSuperseded(superseded.table, superseded.number);
    if (!added) fail(added.error());
    generation.countSuperseded(superseded.table, superseded.number);
  }
  if (const Result<void> flushed = tables.flush(); !flushed) fail(flushed.error());
  if (const Result<void> done = transaction.commit(); !done) fail(done.error());
}

struct Replayed {
  std::shared_ptr<Generation> generation;
  std::unique_ptr<Replay> replay;
};

/// Reads all journals. Only the last of them may end in the middle of a record.
std::vector<Replayed> replayAll(StoreParts& parts,
                                const std::vector<GenerationNumber>& numbers,
                                WriterStart& start) {
  std::vector<Replayed> all;
  for (const GenerationNumber number : numbers) {
    const std::string path = parts.journalPath(number);
    start.recent.begin(number);
    auto replay = std::make_unique<Replay>(parts, start, number);
    Journal::End end;
    auto journal = std::make_unique<Journal>(
        openFile(path), path, static_cast<std::uint64_t>(number),
        [&replay](std::string_view record, std::uint64_t offset) { replay->read(record, offset); },
        end);
    if (end.torn && number != numbers.back()) {
      throw std::runtime_error(path + " is damaged at byte " + std::to_string(end.bytes) +
                               ": restore it from a backup");
    }
    if (end.torn) {
      kLog.warning("journal_torn", {{"path", path}, {"kept_bytes", end.bytes}});
      journal->cutTail();
    }
    all.push_back({std::make_shared<Generation>(number, std::move(journal), path, parts.graveyard),
                   std::move(replay)});
  }
  return all;
}

}  // namespace

WriterStart recover(StoreParts& parts) {
  const std::unique_ptr<Connection> connection = parts.engine.connect();
  WriterStart start;
  const StoredState stored = parts.stored.open(*connection, parts.partitions);
  start.next_row = stored.next_row;
  const std::vector<GenerationNumber> numbers = journalsAfter(parts, stored.generation);
  std::int64_t rows = 0;
  for (const Replayed& replayed : replayAll(parts, numbers, start)) {
    Generation& generation = *replayed.generation;
    if (const Result<void> made = parts.makeTables(*connection, generation.number()); !made) {
      fail(made.error());
    }
    fillTables(parts, *connection, generation, *replayed.replay, start.recent);
    rows += generation.rows();
    start.generations.push_back(replayed.generation);
  }
  if (rows > 0) kLog.info("journal_replayed", {{"rows", rows}, {"journals", numbers.size()}});
  if (start.generations.empty()) {
    const GenerationNumber next = stored.generation + 1;
    Result<std::shared_ptr<Generation>> active = parts.makeGeneration(*connection, next);
    if (!active) fail(active.error());
    start.recent.begin(next);
    start.generations.push_back(*std::move(active));
  }
  parts.visibility.change([&](Version& version) {
    version.stored = stored.generation;
    version.generations = start.generations;
  });
  return start;
}

}  // namespace spindle::columnar
