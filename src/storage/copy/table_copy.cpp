#include "storage/copy/table_copy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/copy/serial_number.h"

namespace spindle::storage {
namespace {

SqlText nameOf(const Table& table) {
  const std::optional<SqlText> name = SqlText::identifier(table.name);
  if (!name) throw SqlError("not an identifier: " + table.name);
  return *name;
}

}  // namespace

Result<void> copyTable(Database& from,
                       Database& to,
                       const Table& table,
                       const PageLimits& limits,
                       const RowsDone& done) {
  const TablePages pages(table);
  std::optional<RowKey> after =
      TRY(to.read([&](Session& session) { return pages.lastKey(session); }));
  while (true) {
    const Rows rows =
        TRY(from.read([&](Session& session) { return pages.read(session, after, limits); }));
    if (rows.empty()) return {};
    TRY(to.write([&](Session& session) { return pages.insert(session, rows); }));
    after = pages.keyOf(rows.back());
    done(static_cast<std::int64_t>(rows.size()));
  }
}

Result<void> copyNextNumber(Database& from, Database& to, const Table& table) {
  if (table.serial_key.empty()) return {};
  const std::optional<std::int64_t> last =
      TRY(from.read([&](Session& session) { return lastNumber(session, from.engine(), table); }));
  if (!last) return {};
  return to.write(
      [&](Session& session) { return setLastNumber(session, to.engine(), table, *last); });
}

Result<void> emptyTables(Database& database,
                         const std::vector<Table>& tables,
                         const std::function<Result<void>(Session& session)>& also) {
  return database.write([&](Session& session) -> Result<void> {
    for (auto table = tables.rbegin(); table != tables.rend(); ++table)
      TRY(session.execute("DELETE FROM " + nameOf(*table)));
    return also(session);
  });
}

Result<std::int64_t> countRows(Database& database, const Table& table) {
  return database.read([&](Session& session) -> Result<std::int64_t> {
    const std::optional<Row> row = TRY(session.queryOne("SELECT count(*) FROM " + nameOf(table)));
    return row->integer(0);
  });
}

}  // namespace spindle::storage
