#pragma once

#include <string>
#include <vector>

#include "base/core/result.h"
#include "storage/database/database.h"

namespace spindle::storage {

/// The type of a column; see schemaFor().
enum class ColumnKind { kInteger, kReal, kText };

struct TableColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kText;

  bool operator==(const TableColumn&) const = default;
};

/// A table of a metadata database, as the engine describes it.
struct Table {
  std::string name;
  std::vector<TableColumn> columns;  ///< in the order of their names
  std::vector<std::string> key;      ///< the columns of the primary key, in its order
  std::string serial_key;            ///< the column with automatic numbers; empty if there is none
  std::vector<std::string> parents;  ///< the tables that its foreign keys refer to, sorted

  bool operator==(const Table&) const = default;
};

/// Returns all tables of a database, each after its parents. Databases of both engines with the
/// same migrations have the same tables.
/// @return kInternal for a table without a primary key, of an unknown type, or in a circle of
/// foreign keys; kUnavailable.
Result<std::vector<Table>> readTables(Database& database);

}  // namespace spindle::storage
