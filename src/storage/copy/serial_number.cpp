#include "storage/copy/serial_number.h"

#include <string>

namespace spindle::storage {
namespace {

/// Returns the parameters of pg_get_serial_sequence(), whose first one is an SQL name.
Params sequenceOf(const Table& table) { return {"\"" + table.name + "\"", table.serial_key}; }

}  // namespace

Result<std::optional<std::int64_t>> lastNumber(Session& session,
                                               Engine engine,
                                               const Table& table) {
  const std::optional<Row> row =
      engine == Engine::kSqlite
          ? TRY(session.queryOne("SELECT seq FROM sqlite_sequence WHERE name = ?", {table.name}))
          : TRY(session.queryOne("SELECT pg_sequence_last_value(CAST("
                                 "pg_get_serial_sequence(?, ?) AS regclass))",
                                 sequenceOf(table)));
  return row ? row->optionalInteger(0) : std::nullopt;
}

Result<void> setLastNumber(Session& session, Engine engine, const Table& table, std::int64_t last) {
  if (engine == Engine::kPostgres) {
    Params params = sequenceOf(table);
    params.emplace_back(last);
    TRY(session.query("SELECT setval(CAST(pg_get_serial_sequence(?, ?) AS regclass), ?)", params));
    return {};
  }
  TRY(session.execute("DELETE FROM sqlite_sequence WHERE name = ?", {table.name}));
  TRY(session.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", {table.name, last}));
  return {};
}

}  // namespace spindle::storage
