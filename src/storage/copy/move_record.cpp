#include "storage/copy/move_record.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace spindle::storage {
namespace {

constexpr std::string_view kMigrations = "schema_migration";
constexpr std::array<std::string_view, 3> kFirstTables = {kMigrations, "storage_key_check",
                                                          "storage_move"};

template <class T>
T orThrow(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the number of applied migrations by area.
Result<std::map<std::string, std::size_t>> appliedMigrations(Database& database) {
  const std::vector<std::string> names = TRY(tableNames(database));
  std::map<std::string, std::size_t> applied;
  if (!contains(names, kMigrations)) return applied;
  const Rows rows = TRY(database.read([](Session& session) {
    return session.query("SELECT area, max(version) FROM schema_migration GROUP BY area");
  }));
  for (const Row& row : rows) applied[row.text(0)] = static_cast<std::size_t>(row.integer(1));
  return applied;
}

}  // namespace

Result<std::optional<MoveRecord>> readMove(Database& database) {
  return database.read([](Session& session) -> Result<std::optional<MoveRecord>> {
    const std::optional<Row> row = TRY(
        session.queryOne("SELECT source, prepared, finished_at FROM storage_move WHERE id = 1"));
    if (!row) return std::optional<MoveRecord>();
    return std::optional(MoveRecord{row->text("source"), row->boolean("prepared"),
                                    row->optionalTime("finished_at")});
  });
}

Result<void> beginMove(Database& database, const std::string& source, Timestamp now) {
  return database.write([&](Session& session) -> Result<void> {
    TRY(session.execute(
        "INSERT INTO storage_move (id, source, prepared, started_at) VALUES (1, ?, 0, ?) "
        "ON CONFLICT (id) DO NOTHING",
        {source, now}));
    return {};
  });
}

Result<void> markPrepared(Session& session) {
  TRY(session.execute("UPDATE storage_move SET prepared = 1 WHERE id = 1"));
  return {};
}

Result<void> finishMove(Database& database, Timestamp now) {
  return database.write([&](Session& session) -> Result<void> {
    TRY(session.execute("UPDATE storage_move SET finished_at = ? WHERE id = 1", {now}));
    return {};
  });
}

void requireNoUnfinishedMove(Database& database) {
  const std::optional<MoveRecord> move = orThrow(readMove(database));
  if (!move || move->finished_at) return;
  throw std::runtime_error("this deployment is incomplete: a move from " + move->source +
                           " has not finished. Run the same `spindle migrate` command again");
}

Result<std::vector<std::string>> tableNames(Database& database) {
  return database.read([&](Session& session) {
    return collectRows(
        session.query(database.engine() == Engine::kSqlite
                          ? SqlView("SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                    "substr(name, 1, 7) <> 'sqlite_'")
                          : SqlView("SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n "
                                    "ON n.oid = c.relnamespace WHERE n.nspname = current_schema() "
                                    "AND c.relkind IN ('r', 'p')")),
        [](const Row& row) { return row.text(0); });
  });
}

Result<bool> isUnused(Database& database) {
  const std::vector<std::string> names = TRY(tableNames(database));
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return std::find(kFirstTables.begin(), kFirstTables.end(), name) != kFirstTables.end();
  });
}

void requireCurrentSchema(Database& database,
                          const std::vector<AreaSchema>& areas,
                          const std::string& name) {
  const std::map<std::string, std::size_t> applied = orThrow(appliedMigrations(database));
  if (applied.empty()) throw std::runtime_error(name + " contains no data of Spindle");
  for (const auto& [area, count] : applied) {
    const auto known = std::find_if(areas.begin(), areas.end(),
                                    [&, wanted = std::string_view(area)](const AreaSchema& schema) {
                                      return schema.area == wanted;
                                    });
    if (known == areas.end() || count > known->migrations.size()) {
      throw std::runtime_error(name +
                               " was written by a newer version of Spindle: run `spindle "
                               "migrate` of that version");
    }
  }
  for (const AreaSchema& schema : areas) {
    const auto found = applied.find(std::string(schema.area));
    if (found != applied.end() && found->second == schema.migrations.size()) continue;
    throw std::runtime_error(name +
                             " was written by an older version of Spindle: start `spindle "
                             "serve` of this version once, then run the command again");
  }
}

}  // namespace spindle::storage
