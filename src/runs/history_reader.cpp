#include "runs/history_reader.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "runs/flat_rows.h"
#include "runs/history_store.h"
#include "runs/run_rows.h"
#include "storage/database/database.h"

namespace spindle::runs {
namespace {

using storage::Row, storage::Session;

/// The location of the lines of a stream: blocks and tail.
struct Layout {
  struct Block {
    std::int64_t first_line = 0;
    std::int64_t line_count = 0;
    std::int64_t first_step = 0;
    std::int64_t last_step = 0;
    std::string id;
    Timestamp stored_at;
  };

  RunHeader run;
  std::optional<std::int64_t> last_step;
  std::vector<Block> blocks;  ///< in line order
  Tail tail;

  std::int64_t firstStep() const {
    if (!blocks.empty()) return blocks.front().first_step;
    return tail.lines.empty() ? 0 : stepOfLine(tail.lines);
  }
};

Result<Layout> readLayout(storage::Database& database, const RunKey& key, Stream stream) {
  return database.read([&](Session& session) -> Result<Layout> {
    Layout layout;
    RunHeader run = TRY(requireRunHeader(session, key));
    layout.run = std::move(run);
    const std::optional<Row> state = TRY(
        session.queryOne("SELECT last_step FROM run_streams WHERE run_number = ? AND stream = ?",
                         {layout.run.number, textOf(stream)}));
    if (state.has_value()) layout.last_step = state->optionalInteger("last_step");
    std::vector<Layout::Block> blocks =
        TRY(collectRows(session.query("SELECT first_line, line_count, first_step, last_step, "
                                      "block, stored_at FROM run_blocks "
                                      "WHERE run_number = ? AND stream = ? ORDER BY first_line",
                                      {layout.run.number, textOf(stream)}),
                        [](const Row& row) {
                          return Layout::Block{row.integer(0), row.integer(1), row.integer(2),
                                               row.integer(3), row.text(4),    row.time(5)};
                        }));
    layout.blocks = std::move(blocks);
    Tail tail = TRY(readTail(session, layout.run.number, stream));
    layout.tail = std::move(tail);
    return layout;
  });
}

/// Returns the range for HistoryStore. The run must have blocks.
HistoryRange historyRangeOf(const Layout& layout, Stream stream) {
  HistoryRange place;
  place.project_id = layout.run.project_id;
  place.run_number = layout.run.number;
  place.stream = stream;
  // The first block is not always the oldest, because the clock may have been set back.
  const auto earlier = [](const Layout::Block& a, const Layout::Block& b) {
    return a.stored_at < b.stored_at;
  };
  const auto [oldest, newest] =
      std::minmax_element(layout.blocks.begin(), layout.blocks.end(), earlier);
  place.since = oldest->stored_at;
  place.until = newest->stored_at;
  return place;
}

/// Builds a page of rows from lines in their order. Merges the lines of one step into one row, also
/// across blocks and the tail.
class HistoryPageBuilder {
 public:
  explicit HistoryPageBuilder(const HistoryQuery& query) : query_(query) {}

  bool isFull() const { return page_.next_line.has_value(); }

  void add(std::int64_t first_line, std::string_view lines) {
    for (std::int64_t line = first_line; !lines.empty() && !isFull(); ++line) {
      const std::size_t end = lines.find('\n');
      const std::string_view text = lines.substr(0, end);
      lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
      if (line < query_.from_line) continue;
      const std::int64_t step = stepOfLine(text);
      if (query_.min_step && step < *query_.min_step) continue;
      if (query_.max_step && step > *query_.max_step) break;
      if (!held_.empty() && held_step_ != step) close();
      if (held_.empty()) {
        held_step_ = step;
        held_line_ = line;
      }
      held_.emplace_back(text);
    }
  }

  HistoryPage finish() {
    if (!isFull()) close();
    return std::move(page_);
  }

 private:
  void close() {
    const std::vector<std::string_view> lines(held_.begin(), held_.end());
    std::optional<std::string> row = lines.empty() ? std::nullopt : mergedRow(lines, query_.keys);
    held_.clear();
    if (!row) return;
    if (page_.rows.size() == static_cast<std::size_t>(query_.limit)) {
      page_.next_line = held_line_;
    } else {
      page_.rows.push_back(*std::move(row));
    }
  }

  const HistoryQuery& query_;
  HistoryPage page_;
  std::vector<std::string> held_;  ///< lines of one step
  std::int64_t held_step_ = 0;
  std::int64_t held_line_ = 0;
};

}  // namespace

Result<HistoryPage> HistoryReader::read(const RunKey& run,
                                        Stream stream,
                                        const HistoryQuery& query) {
  const Layout layout = TRY(readLayout(database_, run, stream));
  std::vector<const Layout::Block*> blocks;
  for (const Layout::Block& block : layout.blocks) {
    const bool behind = block.first_line + block.line_count > query.from_line;
    const bool below = query.min_step && block.last_step < *query.min_step;
    const bool above = query.max_step && block.first_step > *query.max_step;
    if (behind && !below && !above) blocks.push_back(&block);
  }
  if (!query.keys.empty() && blocks.size() > 1) {
    const auto having = store_.blocksWith(historyRangeOf(layout, stream), query.keys);
    if (!having) return having.error();
    std::erase_if(blocks,
                  [&having](const Layout::Block* block) { return !having->contains(block->id); });
  }
  HistoryPageBuilder page(query);
  for (const Layout::Block* block : blocks) {
    if (page.isFull()) break;
    const std::string lines = TRY(store_.lines(run.project_id, block->id));
    page.add(block->first_line, lines);
  }
  page.add(layout.tail.first_line, layout.tail.lines);
  return page.finish();
}

Result<std::vector<SampledMetric>> HistoryReader::sample(const RunKey& run,
                                                         Stream stream,
                                                         const SampleQuery& query) {
  const Layout layout = TRY(readLayout(database_, run, stream));
  std::unordered_map<std::string, std::int64_t> lines;
  for (const Layout::Block& block : layout.blocks) lines.emplace(block.id, block.first_line);
  FlatRows tail(std::nullopt, layout.run.created_at, {});
  tail.addLines(layout.tail.lines);
  const std::int64_t first = std::max(query.min_step.value_or(0), layout.firstStep());
  const std::int64_t last =
      std::min(query.max_step.value_or(std::numeric_limits<std::int64_t>::max()),
               layout.last_step.value_or(0));
  std::vector<SampledMetric> sampled;
  for (const std::string& key : query.keys) {
    Sampler sampler(first, std::max(first, last), query.points);
    const auto add = [&](std::int64_t step, double value) {
      if (step >= first && step <= last) sampler.add(step, value);
    };
    if (!lines.empty()) {
      std::vector<StoredSeries> found =
          TRY(store_.series(historyRangeOf(layout, stream), key, first, last));
      std::erase_if(found, [&](const StoredSeries& one) { return !lines.contains(one.block); });
      std::sort(found.begin(), found.end(), [&](const StoredSeries& a, const StoredSeries& b) {
        return lines.at(a.block) < lines.at(b.block);
      });
      for (const StoredSeries& one : found) {
        for (std::size_t i = 0; i < one.values.size(); ++i) add(one.steps[i], one.values[i]);
      }
    }
    for (const FlatRows::Column& column : tail.columns()) {
      if (column.key != key) continue;
      for (std::size_t i = 0; i < column.rows.size(); ++i) {
        add(tail.steps()[column.rows[i]], column.values[i]);
      }
    }
    SampledMetric metric;
    metric.key = key;
    metric.points = sampler.finish();
    metric.count = sampler.count();
    sampled.push_back(std::move(metric));
  }
  return sampled;
}

}  // namespace spindle::runs
