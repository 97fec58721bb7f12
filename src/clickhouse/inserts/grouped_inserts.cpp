#include "clickhouse/inserts/grouped_inserts.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "base/core/no_blocking.h"
#include "base/crypto/id.h"
#include "clickhouse/client/server_error.h"

namespace spindle::clickhouse {
namespace {

using Moment = std::chrono::steady_clock::time_point;

constexpr std::chrono::milliseconds kMaxDelay{2'000};

MetricLabels tableLabel(const InsertTarget& target) {
  return {{"table", std::string(target.table.text())}};
}

/// Returns the error of a write: a write that took too long may be stored, and its sender should
/// repeat it.
Error writeError(const Error& error) {
  if (error.code() != ErrorCode::kTimeout) return error;
  return Error::unavailable("ClickHouse did not store the rows in time; send them again.")
      .because(error.reason())
      .with("retry_after_seconds", "2");
}

}  // namespace

/// The rows of one caller.
struct GroupedInserts::Entry {
  std::string rows;
  std::size_t count = 0;
  std::optional<Error> error = {};
};

/// Rows that one INSERT stores.
struct GroupedInserts::Group {
  const Moment opened = std::chrono::steady_clock::now();
  std::vector<Entry*> entries;  // of the callers, which wait until `done`
  std::size_t rows = 0;
  std::size_t bytes = 0;
  bool full = false;
  bool done = false;
  Condition changed;
};

GroupedInserts::GroupedInserts(Client& client,
                               InsertTarget target,
                               GroupOptions options,
                               MetricRegistry& metrics)
    : client_(client),
      target_(std::move(target)),
      options_(options),
      statements_(metrics.counter("spindle_clickhouse_inserts_total",
                                  "INSERT statements that ClickHouse acknowledged.",
                                  tableLabel(target_))),
      stored_rows_(metrics.counter("spindle_clickhouse_inserted_rows_total",
                                   "Rows that ClickHouse acknowledged.",
                                   tableLabel(target_))),
      failures_(metrics.counter("spindle_clickhouse_insert_failures_total",
                                "INSERT statements that failed after all attempts.",
                                tableLabel(target_))),
      retries_(metrics.counter("spindle_clickhouse_insert_retries_total",
                               "Repeated attempts of INSERT statements.",
                               tableLabel(target_))),
      seconds_(metrics.histogram("spindle_clickhouse_insert_seconds",
                                 "Duration of INSERT statements with their repetitions.",
                                 tableLabel(target_))),
      waiting_bytes_(metrics.gauge("spindle_clickhouse_insert_waiting_bytes",
                                   "Rows that wait for an INSERT statement or its end.",
                                   tableLabel(target_))) {}

Result<void> GroupedInserts::insert(std::string rows, std::size_t count) {
  if (NoBlocking::forbids()) return Error::unavailable("ClickHouse may not be waited for here.");
  if (count == 0) return {};
  const std::size_t bytes = rows.size();
  if (bytes > options_.queued_bytes)
    return Error(ErrorCode::kTooLarge, "The rows of one request are too large.");
  Entry entry{std::move(rows), count};
  const MutexLock lock(mutex_);
  if (bytes > options_.queued_bytes - queued_bytes_) {
    return Error(ErrorCode::kRateLimited, "Too many rows wait for ClickHouse; try again.")
        .because("clickhouse_queue_full")
        .with("retry_after_seconds", "1");
  }
  queued_bytes_ += bytes;
  waiting_bytes_.set(static_cast<std::int64_t>(queued_bytes_));
  const bool fits =
      open_ && open_->rows + count <= options_.rows && open_->bytes + bytes <= options_.bytes;
  if (open_ && !fits) {
    open_->full = true;
    open_->changed.notifyAll();
  }
  const bool leads = !fits;
  if (leads) open_ = std::make_shared<Group>();
  const std::shared_ptr<Group> group = open_;
  group->entries.push_back(&entry);
  group->rows += count;
  group->bytes += bytes;
  if (group->rows >= options_.rows || group->bytes >= options_.bytes) {
    group->full = true;
    group->changed.notifyAll();
    open_.reset();
  }
  if (leads) {
    lead(group);
  } else {
    while (!group->done) group->changed.wait(mutex_);
  }
  queued_bytes_ -= bytes;
  waiting_bytes_.set(static_cast<std::int64_t>(queued_bytes_));
  if (entry.error) return *std::move(entry.error);
  return {};
}

void GroupedInserts::lead(const std::shared_ptr<Group>& group) {
  const Moment end = group->opened + options_.linger;
  while (!group->full) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    group->changed.waitFor(mutex_, left);
  }
  while (running_ >= options_.concurrent) slot_free_.wait(mutex_);
  ++running_;
  if (open_ == group) open_.reset();  // nobody joins from now on
  mutex_.unlock();
  send(*group);
  mutex_.lock();
  --running_;
  slot_free_.notifyOne();
  group->done = true;
  group->changed.notifyAll();
}

void GroupedInserts::send(Group& group) {
  std::string rows;
  if (group.entries.size() == 1) {
    rows = std::move(group.entries.front()->rows);
  } else {
    rows.reserve(group.bytes);
    for (const Entry* entry : group.entries) rows += entry->rows;
  }
  const Result<void> stored = insertOnce(rows);
  if (stored) {
    stored_rows_.add(group.rows);
    return;
  }
  const bool refused = stored.error().code() == ErrorCode::kInternal;
  for (Entry* entry : group.entries) {
    if (!refused || group.entries.size() == 1) {
      entry->error = writeError(stored.error());
      continue;
    }
    // The rows of one caller may be the reason.
    const Result<void> alone = insertOnce(entry->rows);
    if (alone) {
      stored_rows_.add(entry->count);
    } else {
      entry->error = writeError(alone.error());
    }
  }
}

Result<void> GroupedInserts::insertOnce(std::string_view rows) {
  const std::string token = newUuid(SystemClock().now());
  const Moment started = std::chrono::steady_clock::now();
  std::chrono::milliseconds delay = options_.first_delay;
  while (true) {
    Result<void> stored = client_.insert(target_, rows, token);
    const auto elapsed = std::chrono::steady_clock::now() - started;
    const bool repeats =
        !stored && isTransient(stored.error()) && elapsed + delay < options_.retry_time;
    if (!repeats) {
      seconds_.observe(std::chrono::duration<double>(elapsed).count());
      (stored ? statements_ : failures_).add();
      return stored;
    }
    retries_.add();
    std::this_thread::sleep_for(delay);
    delay = std::min(2 * delay, kMaxDelay);
  }
}

}  // namespace spindle::clickhouse
