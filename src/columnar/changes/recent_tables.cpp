#include "columnar/changes/recent_tables.h"

#include <utility>

#include "columnar/duckdb/table_sql.h"

namespace spindle::columnar {

Result<void> RecentTables::add(TableKey table, const Row& row, RowNumber number) {
  auto appender = appenders_.find(table.family);
  if (appender == appenders_.end()) {
    RowAppender opened =
        TRY(RowAppender::open(connection_, recentName(families_[table.family], generation_)));
    appender = appenders_.emplace(table.family, std::move(opened)).first;
  }
  return appender->second.add(row, {number, table.partition});
}

Result<void> RecentTables::addSuperseded(TableKey table, RowNumber number) {
  if (!superseded_) {
    RowAppender opened = TRY(RowAppender::open(connection_, supersededName(generation_)));
    superseded_.emplace(std::move(opened));
  }
  return superseded_->add({}, {static_cast<std::int64_t>(table.family), table.partition, number});
}

Result<void> RecentTables::remove(FamilyId family, const std::vector<RowNumber>& numbers) {
  auto removal = removals_.find(family);
  if (removal == removals_.end()) {
    Statement prepared = TRY(
        connection_.prepare("DELETE FROM " + recentTable(families_[family], generation_) +
                            " WHERE " + SqlText(kRowColumn) + " IN (SELECT unnest(?::BIGINT[]))"));
    removal = removals_.emplace(family, std::move(prepared)).first;
  }
  QueryResult removed = TRY(removal->second.runWith(numbers));
  TRY(removed.nextChunk());
  return {};
}

Result<void> RecentTables::flush() {
  for (auto& [family, appender] : appenders_) {
    TRY(appender.flush());
  }
  if (superseded_) return superseded_->flush();
  return {};
}

void RecentTables::discard() {
  appenders_.clear();
  superseded_.reset();
}

}  // namespace spindle::columnar
