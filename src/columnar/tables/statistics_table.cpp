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
  return forEachRow(
      connection,
      "SELECT family, shared, max_key, first, last, timed_rows, rows, partition FROM " +
          SqlText(kTable),
      [&](const QueryResult& result, std::size_t row) {
        const auto id = ids.find(result.text(0, row));
        if (id == ids.end()) return;
        StatisticsRow entry{{id->second, static_cast<PartitionNumber>(result.integer(7, row))},
                            result.boolean(1, row),
                            result.integer(6, row),
                            std::string(result.text(2, row)),
                            std::nullopt};
        if (result.integer(5, row) > 0) {
          entry.run = Run{result.time(3, row), result.time(4, row), result.integer(5, row)};
        }
        visit(entry);
      });
}

Result<void> StatisticsTable::append(Connection& connection,
                                     const std::vector<StatisticsRow>& rows) const {
  if (rows.empty()) return {};
  RowAppender appender =
      TRY(RowAppender::open(connection, "store_statistics", RowAppender::Catalog::kStored));
  for (const StatisticsRow& row : rows) {
    const Row values = {std::string(families_[row.table.family].name.text()), row.shared,
                        row.max_key, row.run ? Value(row.run->first) : Value(),
                        row.run ? Value(row.run->last) : Value()};
    TRY(appender.add(values, {row.run ? row.run->rows : 0, row.rows, row.table.partition}));
  }
  return appender.flush();
}

Result<void> StatisticsTable::removeAll(Connection& connection) const {
  return connection.execute("DELETE FROM " + SqlText(kTable));
}

Result<void> StatisticsTable::remove(Connection& connection,
                                     FamilyId family,
                                     const std::vector<PartitionNumber>& partitions) const {
  if (partitions.empty()) return {};
  TRY(connection.change("DELETE FROM " + SqlText(kTable) + " WHERE family = ? AND partition IN (" +
                            listOf(partitions) + ")",
                        {std::string(families_[family].name.text())}));
  return {};
}

Result<void> StatisticsTable::remove(Connection& connection,
                                     const std::vector<PartitionNumber>& partitions) const {
  if (partitions.empty()) return {};
  return connection.execute("DELETE FROM " + SqlText(kTable) + " WHERE partition IN (" +
                            listOf(partitions) + ")");
}

}  // namespace spindle::columnar
