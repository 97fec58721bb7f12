#include "columnar/tables/generation.h"

#include <algorithm>

namespace spindle::columnar {
namespace {

/// A row this far behind its predecessors counts as out of time order.
constexpr std::chrono::minutes kLate{5};

void countOrder(Tally& tally, Timestamp order) {
  if (tally.timed_rows++ == 0) {
    tally.first = order;
    tally.last = order;
    return;
  }
  if (order < tally.last - kLate) ++tally.late_rows;
  tally.first = std::min(tally.first, order);
  tally.last = std::max(tally.last, order);
}

}  // namespace

void DeferredDeleter::add(GenerationNumber number) {
  const MutexLock lock(mutex_);
  pending_.generations.push_back(number);
}

void DeferredDeleter::add(std::shared_ptr<void> leftover) {
  const MutexLock lock(mutex_);
  pending_.objects.push_back(std::move(leftover));
}

DeferredDeleter::Pending DeferredDeleter::takeAll() {
  const MutexLock lock(mutex_);
  return std::exchange(pending_, {});
}

Generation::Generation(GenerationNumber number,
                       std::unique_ptr<Journal> journal,
                       std::string journal_path,
                       std::shared_ptr<DeferredDeleter> deferred_deleter)
    : number_(number),
      journal_(std::move(journal)),
      journal_path_(std::move(journal_path)),
      deferred_deleter_(std::move(deferred_deleter)) {}

Generation::~Generation() { deferred_deleter_->add(number_); }

void Generation::countRow(TableKey table, const Family& family, const AddedRow& row) {
  const std::string& key = std::get<std::string>(row.values[family.key]);
  const std::optional<Timestamp> order = orderOf(family, row.values);
  const MutexLock lock(mutex_);
  Tally& tally = tallies_[table];
  if (tally.rows == 0 || key < tally.min_key) tally.min_key = key;
  ++tally.rows;
  if (order) countOrder(tally, *order);
  if (tally.max_key < key) tally.max_key = key;
  if (tally.max_ordered_key < key && family.isOrderedKey(key)) tally.max_ordered_key = key;
  first_row_ = rows_ == 0 ? row.number : std::min(first_row_, row.number);
  last_row_ = std::max(last_row_, row.number);
  ++rows_;
  bytes_ += static_cast<std::int64_t>(row.bytes);
  if (!first_row_at_) first_row_at_ = std::chrono::steady_clock::now();
}

void Generation::countSuperseded(TableKey table, RowNumber number) {
  const MutexLock lock(mutex_);
  Tally& tally = tallies_[table];
  tally.first_superseded =
      tally.superseded == 0 ? number : std::min(tally.first_superseded, number);
  ++tally.superseded;
  ++superseded_;
  if (!first_superseded_at_) first_superseded_at_ = std::chrono::steady_clock::now();
}

std::optional<Tally> Generation::tally(TableKey table) const {
  const MutexLock lock(mutex_);
  const auto found = tallies_.find(table);
  if (found == tallies_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::pair<TableKey, Tally>> Generation::tallies() const {
  const MutexLock lock(mutex_);
  return {tallies_.begin(), tallies_.end()};
}

std::int64_t Generation::rows() const {
  const MutexLock lock(mutex_);
  return rows_;
}

std::int64_t Generation::superseded() const {
  const MutexLock lock(mutex_);
  return superseded_;
}

std::int64_t Generation::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

RowNumber Generation::firstRow() const {
  const MutexLock lock(mutex_);
  return first_row_;
}

RowNumber Generation::lastRow() const {
  const MutexLock lock(mutex_);
  return last_row_;
}

std::optional<Generation::Moment> Generation::firstRowAt() const {
  const MutexLock lock(mutex_);
  return first_row_at_;
}

std::optional<Generation::Moment> Generation::firstSupersededAt() const {
  const MutexLock lock(mutex_);
  return first_superseded_at_;
}

}  // namespace spindle::columnar
