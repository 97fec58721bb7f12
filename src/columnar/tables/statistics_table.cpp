#include "columnar/tables/statistics_table.h"

#include <map>
#include <utility>

#include "columnar/duckdb/number_list.h"
#include "columnar/duckdb/row_appender.h"

namespace spindle::columnar {
namespace {

constexpr SqlView kTable = "stored.main.store_statistics";

}  // namespace

Result<void> StatisticsTable::create(Connection& connection) const {
  return connection.execute("CREATE TABLE IF NOT EXISTS " + SqlText(kTable) +
                            " (family VARCHAR, shared BOOLEAN, max_key VARCHAR, first TIMESTAMP, "
                            "last TIMESTAMP, timed_rows BIGINT, rows BIGINT, partition BIGINT)");
}

Result<void> StatisticsTable::load(Connection& connection,
                                   const std::function<void(const StatisticsRow&)>& visit) const {
  std::map<std::string, FamilyId, std::less<>> ids;
  for (FamilyId id = 0; id < families_.size(); ++id) ids.emplace(families_[id].name.text(), id);
  Result<QueryResult> result = connection.query(
      "SELECT family, shared, max_key, first, last, timed_rows, rows, partition FROM " +
      SqlText(kTable));
  if (!result) return std::move(result).error();
  while (true) {
    const Result<bool> more = result->nextChunk();
    if (!more) return more.error();
    if (!*more) return {};
    for (std::size_t row = 0; row < result->rows(); ++row) {
      const auto id = ids.find(result->text(0, row));
      if (id == ids.end()) continue;
      StatisticsRow entry{{id->second, static_cast<PartitionNumber>(result->integer(7, row))},
                          result->boolean(1, row),
                          result->integer(6, row),
                          std::string(result->text(2, row)),
                          std::nullopt};
      if (result->integer(5, row) > 0) {
        entry.run = Run{result->time(3, row), result->time(4, row), result->integer(5, row)};
      }
      visit(entry);
    }
  }
}

Result<void> StatisticsTable::append(Connection& connection,
                                     const std::vector<StatisticsRow>& rows) const {
  if (rows.empty()) return {};
  Result<RowAppender> appender =
      RowAppender::open(connection, "store_statistics", RowAppender::Catalog::kStored);
  if (!appender) return std::move(appender).error();
  for (const StatisticsRow& row : rows) {
    const Row values = {std::string(families_[row.table.family].name.text()), row.shared,
                        row.max_key, row.run ? Value(row.run->first) : Value(),
                        row.run ? Value(row.run->last) : Value()};
    Result<void> added =
        appender->add(values, {row.run ? row.run->rows : 0, row.rows, row.table.partition});
    if (!added) return added;
  }
  return appender->flush();
}

Result<void> StatisticsTable::removeAll(Connection& connection) const {
  return connection.execute("DELETE FROM " + SqlText(kTable));
}

Result<void> StatisticsTable::remove(Connection& connection,
                                     FamilyId family,
                                     const std::vector<PartitionNumber>& partitions) const {
  if (partitions.empty()) return {};
  Result<std::int64_t> removed =
      connection.change("DELETE FROM " + SqlText(kTable) + " WHERE family = ? AND partition IN (" +
                            listOf(partitions) + ")",
                        {std::string(families_[family].name.text())});
  if (!removed) return std::move(removed).error();
  return {};
}

Result<void> StatisticsTable::remove(Connection& connection,
                                     const std::vector<PartitionNumber>& partitions) const {
  if (partitions.empty()) return {};
  return connection.execute("DELETE FROM " + SqlText(kTable) + " WHERE partition IN (" +
                            listOf(partitions) + ")");
}

}  // namespace spindle::columnar
