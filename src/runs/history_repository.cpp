#include "runs/history_repository.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/crypto/id.h"
#include "events/outbox.h"
#include "live/change_log.h"
#include "runs/flat_rows.h"
#include "runs/history_store.h"
#include "runs/metric_observer.h"
#include "runs/run_rows.h"
#include "runs/summary.h"
#include "storage/database/database.h"

namespace spindle::runs {
namespace {

using registry::Place;
using storage::Row, storage::Rows, storage::Session;

/// Size at which the tail becomes a block: large enough for efficient packing, small enough that a
/// page reads little.
constexpr std::int64_t kBlockLines = 1000;
constexpr std::int64_t kBlockBytes = 1024L * 1024;
constexpr std::string_view kSystemPrefix = "system.";
constexpr int kMaxRunsPerPass = 100;
/// Limit of one append, because every key of a block is a row in the columnar store.
constexpr std::size_t kMaxKeys = 20'000;

std::string_view prefixOf(Stream stream) {
  return stream == Stream::kSystem ? kSystemPrefix : std::string_view();
}

Error stepOutOfOrder(std::size_t row, const std::optional<std::int64_t>& step) {
  Violation violation;
  violation.type = "step_out_of_order";
  violation.loc = {LocStep("body"), LocStep("rows"), LocStep(static_cast<std::int64_t>(row)),
                   LocStep("step")};
  violation.msg = "Steps must be between 0 and 2^53 and must not decrease";
  if (step) violation.input = std::to_string(*step);
  return Error::invalid({std::move(violation)});
}

Error tooManyKeys() {
  Violation violation;
  violation.type = "too_long";
  violation.loc = {LocStep("body"), LocStep("rows")};
  violation.msg =
      "The rows of one request can have at most " + std::to_string(kMaxKeys) + " different keys";
  return Error::invalid({std::move(violation)});
}

Error offsetGap(std::int64_t line_count) {
  return Error::conflict("The lines before this offset are missing.")
      .because("offset_gap")
      .with("history_line_count", std::to_string(line_count));
}

/// Converts the rows to the format of MetricObserver, in the same order.
std::vector<ObservedRow> observedRows(const FlatRows& rows) {
  std::vector<ObservedRow> watched(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    watched[i].step = rows.steps()[i];
    watched[i].time = rows.times()[i];
  }
  for (const FlatRows::Column& column : rows.columns()) {
    if (isReservedKey(column.key)) continue;
    for (std::size_t i = 0; i < column.rows.size(); ++i) {
      watched[column.rows[i]].metrics.push_back({column.key, column.values[i]});
    }
  }
  return watched;
}

ObservedRun observedRun(const Place& place, const RunHeader& run) {
  return {place.team_id, place.project_id, place.entity, place.project,
          run.run_id,    run.name,         run.owner_id, run.owner};
}

}  // namespace

/// The end of a stream, where the next line is appended.
struct HistoryRepository::Position {
  RunHeader run;
  std::int64_t line_count = 0;
  std::optional<std::int64_t> last_step;
  std::int64_t tail_lines = 0;
  std::int64_t tail_bytes = 0;
};

/// The rows of one append.
struct HistoryRepository::Batch {
  const FlatRows& rows;  ///< without the ignored rows
  std::int64_t ignored = 0;
  Timestamp now = {};
  bool watched = false;
  // The stored block that the commit must record: the old tail, then the new rows. May be empty.
  std::string block = {};
  std::int64_t block_first_step = 0;
};

Result<HistoryRepository::Position> HistoryRepository::positionOf(std::string_view project_id,
                                                                  std::string_view run_id,
                                                                  Stream stream) {
  return database_.read([&](Session& session) -> Result<Position> {
    const std::optional<Row> row = TRY(
        session.queryOne("SELECT " + runHeaderColumns().list("r") +
                             ", s.line_count, s.last_step, s.tail_lines, s.tail_bytes FROM runs r "
                             "JOIN run_streams s ON s.run_number = r.number AND s.stream = ? WHERE "
                             "r.project_id = ? AND r.run_id = ?",
                         {textOf(stream), project_id, run_id}));
    if (!row.has_value()) return Error::notFound("Run not found");
    Position position;
    position.run = runHeaderColumns().read(*row);
    position.line_count = row->integer("line_count");
    position.last_step = row->optionalInteger("last_step");
    position.tail_lines = row->integer("tail_lines");
    position.tail_bytes = row->integer("tail_bytes");
    return position;
  });
}

Result<HistoryRepository::Appended> HistoryRepository::append(const Place& place,
                                                              std::string_view run_id,
                                                              Stream stream,
                                                              const Append& append) {
  const std::size_t lock_number = std::hash<std::string_view>()(run_id) % locks_.size();
  const MutexLock lock(locks_[lock_number]);
  const Position position = TRY(positionOf(place.project_id, run_id, stream));
  if (!isActive(position.run.state)) return notActive(position.run.state);
  std::int64_t ignored = 0;
  if (append.offset) {
    if (*append.offset > position.line_count) return offsetGap(position.line_count);
    ignored = std::min<std::int64_t>(static_cast<std::int64_t>(append.rows.size()),
                                     position.line_count - *append.offset);
  }
  const Timestamp now = clock_.now();
  FlatRows rows(position.last_step, position.run.created_at, prefixOf(stream));
  for (auto i = static_cast<std::size_t>(ignored); i < append.rows.size(); ++i) {
    if (!rows.add(append.rows[i], now)) return stepOutOfOrder(i, append.rows[i].step);
  }
  if (rows.columns().size() > kMaxKeys) return tooManyKeys();
  Batch batch{.rows = rows, .ignored = ignored, .now = now};
  if (rows.size() == 0) {
    return Appended{0, ignored, rows.lastStep() ? *rows.lastStep() + 1 : 0, position.line_count,
                    position.run.stop_requested};
  }
  batch.watched = observer_ != nullptr && observer_->watches(place.team_id, place.project_id);
  const std::int64_t lines = position.tail_lines + static_cast<std::int64_t>(rows.size());
  const std::int64_t bytes = position.tail_bytes + static_cast<std::int64_t>(rows.lines().size());
  if (lines >= kBlockLines || bytes >= kBlockBytes) {
    batch.block = newUuid(now);
    std::optional<FlatRows> joined;
    if (position.tail_lines > 0) {
      const Tail tail = TRY(database_.read(
          [&](Session& session) { return readTail(session, position.run.number, stream); }));
      joined.emplace(std::nullopt, position.run.created_at, std::string_view());
      joined->addLines(tail.lines);
      joined->addLines(rows.lines());
    }
    const FlatRows& whole = joined ? *joined : rows;
    batch.block_first_step = whole.steps().front();
    TRY(store_.write(place.project_id, position.run.number, stream, batch.block, whole, now));
  }
  return commit(place, stream, position, batch);
}

Result<HistoryRepository::Appended> HistoryRepository::commit(const Place& place,
                                                              Stream stream,
                                                              const Position& position,
                                                              const Batch& batch) {
  const FlatRows& rows = batch.rows;
  const auto added = static_cast<std::int64_t>(rows.size());
  const std::vector<ObservedRow> watched =
      batch.watched ? observedRows(rows) : std::vector<ObservedRow>();
  struct Outcome {
    Appended appended;
    bool raised = false;
  };
  const Outcome outcome = TRY(database_.write([&](Session& session) -> Result<Outcome> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT " + runHeaderColumns().list("r") +
            ", s.line_count, s.summary, s.sums, d.metric_rules FROM runs r "
            "JOIN run_details d ON d.run_number = r.number "
            "JOIN run_streams s ON s.run_number = r.number AND s.stream = ? WHERE r.number = ?",
        {textOf(stream), position.run.number}));
    if (!row.has_value()) return Error::notFound("Run not found");
    RunHeader run = runHeaderColumns().read(*row);
    const bool stop_requested = run.stop_requested;
    if (row->integer("line_count") != position.line_count) {
      return Error::unavailable("Another server writes to this run; try again.");
    }
    Result<bool> raised =
        transitionRun(session, {outbox_, place}, run, RunTrigger::kHeartbeat, batch.now);
    if (!raised) return std::move(raised).error();

    Summary summary{row->text("summary"), row->text("sums")};
    if (stream == Stream::kHistory) addToSummary(summary, row->text("metric_rules"), rows);
    const std::int64_t count = position.line_count + added;
    const bool in_tail = batch.block.empty();
    const auto bytes = static_cast<std::int64_t>(rows.lines().size());
    TRY(session.execute(
        "UPDATE run_streams SET line_count = ?, last_step = ?, tail_lines = ?, tail_bytes = ?, "
        "summary = ?, sums = ? WHERE run_number = ? AND stream = ?",
        {count, rows.lastStep(), in_tail ? position.tail_lines + added : 0,
         in_tail ? position.tail_bytes + bytes : 0, summary.values, summary.sums, run.number,
         textOf(stream)}));

    if (in_tail) {
      TRY(session.execute(
          "INSERT INTO run_tails (run_number, stream, first_line, lines) VALUES (?, ?, ?, ?)",
          {run.number, textOf(stream), position.line_count, rows.lines()}));
    } else {
      TRY(session.execute(
          "INSERT INTO run_blocks (run_number, stream, first_line, line_count, first_step, "
          "last_step, block, stored_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          {run.number, textOf(stream), position.line_count - position.tail_lines,
           position.tail_lines + added, batch.block_first_step, rows.lastStep(), batch.block,
           batch.now}));
      if (position.tail_lines > 0) {
        TRY(session.execute("DELETE FROM run_tails WHERE run_number = ? AND stream = ?",
                            {run.number, textOf(stream)}));
      }
    }
    if (batch.watched) {
      const std::int64_t events =
          TRY(observer_->observe(session, observedRun(place, run), watched));
      raised = *raised || events > 0;
    }
    return Outcome{{added, batch.ignored, *rows.lastStep() + 1, count, stop_requested}, *raised};
  }));
  if (outcome.raised) outbox_.wake();
  if (changes_ != nullptr) changes_->publish(live::Topic::kRuns, place.project_id, 1, batch.now);
  return outcome.appended;
}

Result<void> HistoryRepository::deleteOrphanedHistory() {
  const Rows remains = TRY(database_.read([](Session& session) {
    return session.query("SELECT run_number, project_id FROM run_remains LIMIT ?",
                         {kMaxRunsPerPass});
  }));
  for (const Row& row : remains) {
    const std::int64_t number = row.integer("run_number");
    TRY(store_.remove(row.text("project_id"), number));
    TRY(database_.write([&](Session& session) {
      return session.execute("DELETE FROM run_remains WHERE run_number = ?", {number});
    }));
  }
  return {};
}

}  // namespace spindle::runs
