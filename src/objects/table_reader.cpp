#include "objects/table_reader.h"

#include <algorithm>
#include <utility>

#include "objects/row_sorter_json.h"
#include "objects/table_repository.h"

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

Result<std::vector<RowPlace>> TableReader::nextPlaces() {
  while (!scanned_all_) {
    Result<RowPlaces> found =
        tables_.placesFrom(project_id_, digest_, scanned_, query_.row_digests ? &wanted_ : nullptr);
    if (!found) return std::move(found).error();
    scanned_ = found->next;
    scanned_all_ = found->at_end;
    if (!found->places.empty()) return std::move(found->places);
  }
  return std::vector<RowPlace>();
}

Result<std::vector<RowPlace>> TableReader::sorted() {
  // A greater limit has no effect.
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  std::optional<std::size_t> wanted;
  if (left_ && *left_ < kLargest && skip_ < kLargest) {
    wanted = static_cast<std::size_t>(skip_ + *left_);
  }
  RowSorter sorter(query_.order, wanted);
  while (true) {
    const Result<std::vector<RowPlace>> places = nextPlaces();
    if (!places) return places.error();
    if (places->empty()) return sorter.finish();
    for (std::size_t begin = 0; begin < places->size(); begin += kRowsAtOnce) {
      const std::size_t end = std::min(places->size(), begin + kRowsAtOnce);
      const std::vector<RowPlace> some(places->begin() + static_cast<std::ptrdiff_t>(begin),
                                       places->begin() + static_cast<std::ptrdiff_t>(end));
      const Result<std::vector<TableRow>> rows = tables_.rowsAt(project_id_, some);
      if (!rows) return rows.error();
      for (const TableRow& row : *rows) sorter.add(row);
    }
  }
}

Result<bool> TableReader::refill() {
  if (left_ == 0) return false;
  while (used_ == places_.size()) {
    if (ended_) return false;
    Result<std::vector<RowPlace>> places = query_.order.empty() ? nextPlaces() : sorted();
    if (!places) return std::move(places).error();
    ended_ = places->empty() || !query_.order.empty();
    places_ = *std::move(places);
    const auto passed = std::min<std::int64_t>(skip_, static_cast<std::int64_t>(places_.size()));
    used_ = static_cast<std::size_t>(passed);
    skip_ -= passed;
  }
  return true;
}

Result<std::vector<TableRow>> TableReader::next() {
  while (true) {
    const Result<bool> more = refill();
    if (!more) return more.error();
    if (!*more) return std::vector<TableRow>();
    std::size_t count = std::min(kRowsAtOnce, places_.size() - used_);
    if (left_) count = std::min(count, static_cast<std::size_t>(*left_));
    const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(used_);
    const std::vector<RowPlace> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    used_ += count;
    if (left_) *left_ -= static_cast<std::int64_t>(count);
    Result<std::vector<TableRow>> rows = tables_.rowsAt(project_id_, some);
    if (!rows || !rows->empty()) return rows;
  }
}

}  // namespace spindle::objects
