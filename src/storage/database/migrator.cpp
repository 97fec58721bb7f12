#include "storage/database/migrator.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "base/core/check.h"
#include "storage/database/log.h"

namespace spindle::storage {
namespace {

/// The applied migrations: by area, the names of its versions in order.
using Applied = std::map<std::string, std::vector<std::string>, std::less<>>;

/// A transaction whose failures throw and so end the start.
class MigrationTransaction {
 public:
  explicit MigrationTransaction(Connection& connection) : connection_(connection) {
    orThrow(connection_.begin(TransactionKind::kMigration));
  }
  ~MigrationTransaction() {
    if (open_) connection_.rollback();
  }
  MigrationTransaction(const MigrationTransaction&) = delete;
  MigrationTransaction& operator=(const MigrationTransaction&) = delete;

  Rows run(SqlView sql, const Params& params = {}) {
    Result<StatementResult> outcome = connection_.run(sql, params);
    if (!outcome) throw std::runtime_error(outcome.error().message());
    return std::move(outcome->rows);
  }
  void commit() {
    orThrow(connection_.commit());
    open_ = false;
  }

 private:
  static void orThrow(const Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().message());
  }

  Connection& connection_;
  bool open_ = true;
};

Applied readApplied(MigrationTransaction& transaction) {
  Applied applied;
  for (const Row& row :
       transaction.run("SELECT area, version, name FROM schema_migration ORDER BY area, version")) {
    std::vector<std::string>& names = applied[row.text("area")];
    names.resize(static_cast<std::size_t>(row.integer("version")));
    names.back() = row.text("name");
  }
  return applied;
}

void checkNumbering(const std::vector<AreaSchema>& areas) {
  for (const AreaSchema& area : areas) {
    for (std::size_t i = 0; i < area.migrations.size(); ++i) {
      SPINDLE_ASSERT(area.migrations[i].version == static_cast<int>(i) + 1,
                     "an area's migrations are numbered 1, 2, 3, …");
    }
  }
}

void rejectIncompatibleData(const std::vector<AreaSchema>& areas, const Applied& applied) {
  for (const auto& [area, names] : applied) {
    const auto known = std::find_if(areas.begin(), areas.end(),
                                    [&, name = std::string_view(area)](const AreaSchema& schema) {
                                      return schema.area == name;
                                    });
    const std::size_t knows = known == areas.end() ? 0 : known->migrations.size();
    if (names.size() > knows) {
      throw std::runtime_error("the data was written by a newer Spindle (" + area + " schema " +
                               std::to_string(names.size()) + ", this program knows " +
                               std::to_string(knows) + "): start that version or a later one");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != known->migrations[i].name) {
        throw std::runtime_error("the data was written by an incompatible version of Spindle (" +
                                 area + " schema " + std::to_string(i + 1) + " is '" + names[i] +
                                 "' there and '" + std::string(known->migrations[i].name) +
                                 "' here)");
      }
    }
  }
}

/// @return false if another process has applied it in the meantime.
bool apply(Connection& connection,
           Engine engine,
           std::string_view area,
           const Migration& migration,
           Timestamp now) {
  MigrationTransaction transaction(connection);
  if (!transaction
           .run("SELECT 1 FROM schema_migration WHERE area = ? AND version = ?",
                {area, migration.version})
           .empty()) {
    return false;
  }
  for (const SqlText& statement : splitScript(migration.sql)) {
    transaction.run(schemaFor(engine, statement));
  }
  transaction.run(
      "INSERT INTO schema_migration (area, version, name, applied_at) VALUES (?, ?, ?, ?)",
      {area, migration.version, migration.name, now});
  transaction.commit();
  return true;
}

void applyMigration(Connection& connection,
                    Engine engine,
                    std::string_view area,
                    const Migration& migration,
                    Timestamp now) {
  try {
    if (!apply(connection, engine, area, migration, now)) return;
  } catch (const std::exception& problem) {
    throw std::runtime_error("cannot migrate the data (" + std::string(area) + " schema " +
                             std::to_string(migration.version) + ", " +
                             std::string(migration.name) + "): " + problem.what());
  }
  kLog.info("schema_migrated",
            {{"schema", area}, {"version", migration.version}, {"name", migration.name}});
}

/// Creates the triggers that send messages of one topic after commits in these tables.
void addTriggers(MigrationTransaction& transaction,
                 SqlView trigger,
                 SqlView events,
                 SqlView topic,
                 const std::vector<SqlView>& tables) {
  for (const SqlView table : tables) {
    const Params name{trigger.text(), table.text()};
    const bool exists =
        !transaction
             .run(
                 "SELECT 1 FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
                 "JOIN pg_namespace n ON n.oid = c.relnamespace "
                 "WHERE n.nspname = current_schema() AND t.tgname = ? AND c.relname = ?",
                 name)
             .empty();
    if (exists) continue;
    transaction.run("CREATE TRIGGER " + SqlText(trigger) + " AFTER " + SqlText(events) + " ON " +
                    SqlText(table) + " FOR EACH STATEMENT EXECUTE FUNCTION spindle_notify('" +
                    SqlText(topic) + "')");
  }
}

/// Lets PostgreSQL send a message after every commit in the listed tables; see
/// Database::changeToken() and Database::subscribe().
void announceCommits(Connection& connection, const std::vector<AreaSchema>& areas) {
  MigrationTransaction transaction(connection);
  transaction.run(
      "CREATE OR REPLACE FUNCTION spindle_notify() RETURNS trigger LANGUAGE plpgsql AS $$ "
      "BEGIN PERFORM pg_notify('spindle_' || md5(TG_TABLE_SCHEMA), "
      "TG_ARGV[0] || ' ' || TG_TABLE_NAME); RETURN NULL; END $$");
  for (const AreaSchema& area : areas) {
    addTriggers(transaction, "spindle_rows", "INSERT OR UPDATE OR DELETE OR TRUNCATE", "rows",
                area.cached_tables);
    addTriggers(transaction, "spindle_inserted", "INSERT", "inserted", area.queue_tables);
  }
  transaction.commit();
}

}  // namespace

void applyMigrations(Connection& connection,
                     Engine engine,
                     const std::vector<AreaSchema>& areas,
                     Timestamp now) {
  checkNumbering(areas);
  Applied applied;
  {
    MigrationTransaction transaction(connection);
    transaction.run(schemaFor(engine,
                              "CREATE TABLE IF NOT EXISTS schema_migration ("
                              "area TEXT NOT NULL, version BIGINT NOT NULL, name TEXT NOT NULL, "
                              "applied_at BIGINT NOT NULL, PRIMARY KEY (area, version))"));
    applied = readApplied(transaction);
    transaction.commit();
  }
  rejectIncompatibleData(areas, applied);
  for (const AreaSchema& area : areas) {
    const auto found = applied.find(area.area);
    const std::size_t done = found == applied.end() ? 0 : found->second.size();
    for (std::size_t i = done; i < area.migrations.size(); ++i) {
      applyMigration(connection, engine, area.area, area.migrations[i], now);
    }
  }
  if (engine == Engine::kPostgres) announceCommits(connection, areas);
}

}  // namespace spindle::storage
