#include "storage/copy/table_list.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace spindle::storage {
namespace {

using TablesByName = std::map<std::string, Table, std::less<>>;

/// The statements that describe the tables of one engine.
struct Catalogue {
  SqlView columns;  ///< table_name, column_name, type, is_serial
  SqlView keys;     ///< table_name, column_name, in the order of the key
  SqlView parents;  ///< table_name, parent
};

constexpr Catalogue kSqliteCatalogue = {
    .columns =
        "SELECT m.name AS table_name, c.name AS column_name, lower(c.type) AS type, "
        "c.type = 'INTEGER' AND c.pk = 1 AS is_serial "
        "FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c "
        "WHERE m.type = 'table' AND substr(m.name, 1, 7) <> 'sqlite_'",
    .keys =
        "SELECT m.name AS table_name, c.name AS column_name "
        "FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c "
        "WHERE m.type = 'table' AND c.pk > 0 ORDER BY c.pk",
    .parents =
        "SELECT DISTINCT m.name AS table_name, f.\"table\" AS parent "
        "FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS f "
        "WHERE m.type = 'table'"};

constexpr Catalogue kPostgresCatalogue = {
    .columns =
        "SELECT c.relname AS table_name, a.attname AS column_name, "
        "format_type(a.atttypid, NULL) AS type, a.attidentity <> '' AS is_serial "
        "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "JOIN pg_attribute AS a ON a.attrelid = c.oid "
        "WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND a.attnum > 0 "
        "AND NOT a.attisdropped",
    .keys =
        "SELECT k.table_name AS table_name, k.column_name AS column_name "
        "FROM information_schema.table_constraints AS t "
        "JOIN information_schema.key_column_usage AS k "
        "ON k.constraint_schema = t.constraint_schema AND k.constraint_name = t.constraint_name "
        "AND k.table_name = t.table_name "
        "WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_schema = current_schema() "
        "ORDER BY k.ordinal_position",
    .parents =
        "SELECT DISTINCT c.relname AS table_name, p.relname AS parent "
        "FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid "
        "JOIN pg_class AS p ON p.oid = k.confrelid "
        "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE k.contype = 'f' AND n.nspname = current_schema()"};

std::optional<ColumnKind> kindOf(std::string_view type) {
  if (type == "bigint" || type == "integer") return ColumnKind::kInteger;
  if (type == "double precision") return ColumnKind::kReal;
  if (type == "text") return ColumnKind::kText;
  return std::nullopt;
}

Error unknownTable(const std::string& table, std::string_view why) {
  return Error::internal("The table " + table + " cannot be copied: " + std::string(why) + ".");
}

Result<TablesByName> describe(Session& session, const Catalogue& catalogue) {
  TablesByName tables;
  const Rows columns = TRY(session.query(catalogue.columns));
  for (const Row& row : columns) {
    Table& table = tables[row.text("table_name")];
    table.name = row.text("table_name");
    const std::optional<ColumnKind> kind = kindOf(row.text("type"));
    if (!kind) return unknownTable(table.name, "the type of a column is unknown");
    table.columns.push_back({row.text("column_name"), *kind});
    if (row.boolean("is_serial")) table.serial_key = row.text("column_name");
  }
  const Rows keys = TRY(session.query(catalogue.keys));
  for (const Row& row : keys) {
    const auto table = tables.find(row.text("table_name"));
    if (table != tables.end()) table->second.key.push_back(row.text("column_name"));
  }
  const Rows parents = TRY(session.query(catalogue.parents));
  for (const Row& row : parents) {
    const auto table = tables.find(row.text("table_name"));
    if (table != tables.end()) table->second.parents.push_back(row.text("parent"));
  }
  for (auto& [name, table] : tables) {
    if (table.key.empty()) return unknownTable(name, "it has no primary key");
    std::sort(table.columns.begin(), table.columns.end(),
              [](const TableColumn& a, const TableColumn& b) { return a.name < b.name; });
    std::sort(table.parents.begin(), table.parents.end());
  }
  return tables;
}

/// Returns the tables, each after its parents, otherwise in the order of their names.
Result<std::vector<Table>> parentsFirst(TablesByName tables) {
  std::vector<Table> ordered;
  std::set<std::string, std::less<>> done;
  while (!tables.empty()) {
    const std::size_t before = ordered.size();
    for (auto it = tables.begin(); it != tables.end();) {
      const std::vector<std::string>& parents = it->second.parents;
      const bool ready = std::all_of(parents.begin(), parents.end(),
                                     [&](const std::string& name) { return done.contains(name); });
      if (!ready) {
        ++it;
        continue;
      }
      done.insert(it->first);
      ordered.push_back(std::move(it->second));
      it = tables.erase(it);
    }
    if (ordered.size() == before) {
      return unknownTable(tables.begin()->first, "its foreign keys form a circle");
    }
  }
  return ordered;
}

}  // namespace

Result<std::vector<Table>> readTables(Database& database) {
  const Catalogue& catalogue =
      database.engine() == Engine::kSqlite ? kSqliteCatalogue : kPostgresCatalogue;
  TablesByName tables =
      TRY(database.read([&](Session& session) { return describe(session, catalogue); }));
  return parentsFirst(std::move(tables));
}

}  // namespace spindle::storage
