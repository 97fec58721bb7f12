#include "objects/store/table_reader.h"

#include <algorithm>
#include <utility>

#include "objects/store/row_sorter.h"
#include "objects/store/table_repository.h"

namespace spindle::objects {
namespace {

constexpr std::size_t kRowsAtOnce = 100;

}  // namespace

TableReader::TableReader(TableRepository& tables,
                         std::string_view project_id,
                         std::string_view digest,
                         TableQuery query)
    : tables_(tables),
      project_id_(project_id),
      digest_(digest),
      query_(std::move(query)),
      skip_(query_.offset),
      left_(query_.limit) {
  if (query_.row_digests) wanted_.insert(query_.row_digests->begin(), query_.row_digests->end());
  // Without a filter, the rows before the offset need not be read.
  if (!query_.row_digests && query_.order.empty()) scanned_ = std::exchange(skip_, 0);
}

Result<std::vector<RowPosition>> TableReader::nextPositions() {
  while (!scanned_all_) {
    RowPositions found = TRY(tables_.positionsFrom(project_id_, digest_, scanned_,
                                                   query_.row_digests ? &wanted_ : nullptr));
    scanned_ = found.next;
    scanned_all_ = found.at_end;
    if (!found.positions.empty()) return std::move(found.positions);
  }
  return std::vector<RowPosition>();
}

Result<std::vector<RowPosition>> TableReader::sorted() {
  // A greater limit has no effect.
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  std::optional<std::size_t> wanted;
  if (left_ && *left_ < kLargest && skip_ < kLargest) {
    wanted = static_cast<std::size_t>(skip_ + *left_);
  }
  RowSorter sorter(query_.order, wanted);
  while (true) {
    const std::vector<RowPosition> positions = TRY(nextPositions());
    if (positions.empty()) return sorter.finish();
    for (std::size_t begin = 0; begin < positions.size(); begin += kRowsAtOnce) {
      const std::size_t end = std::min(positions.size(), begin + kRowsAtOnce);
      const std::vector<RowPosition> some(positions.begin() + static_cast<std::ptrdiff_t>(begin),
                                          positions.begin() + static_cast<std::ptrdiff_t>(end));
      const std::vector<TableRow> rows = TRY(tables_.rowsAt(project_id_, some));
      for (const TableRow& row : rows) sorter.add(row);
    }
  }
}

Result<bool> TableReader::refill() {
  if (left_ == 0) return false;
  while (used_ == positions_.size()) {
    if (ended_) return false;
    std::vector<RowPosition> positions = TRY(query_.order.empty() ? nextPositions() : sorted());
    ended_ = positions.empty() || !query_.order.empty();
    positions_ = std::move(positions);
    const auto passed = std::min<std::int64_t>(skip_, static_cast<std::int64_t>(positions_.size()));
    used_ = static_cast<std::size_t>(passed);
    skip_ -= passed;
  }
  return true;
}

Result<std::vector<TableRow>> TableReader::next() {
  while (TRY(refill())) {
    std::size_t count = std::min(kRowsAtOnce, positions_.size() - used_);
    if (left_) count = std::min(count, static_cast<std::size_t>(*left_));
    const auto begin = positions_.begin() + static_cast<std::ptrdiff_t>(used_);
    const std::vector<RowPosition> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    used_ += count;
    if (left_) *left_ -= static_cast<std::int64_t>(count);
    Result<std::vector<TableRow>> rows = tables_.rowsAt(project_id_, some);
    if (!rows || !rows->empty()) return rows;
  }
  return std::vector<TableRow>();
}

}  // namespace spindle::objects
