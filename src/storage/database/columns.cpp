#include "storage/database/columns.h"

#include "storage/database/placeholders.h"

namespace spindle::storage::detail {

void read(const Row& row, std::string_view column, std::string& out) { out = row.text(column); }
void read(const Row& row, std::string_view column, std::int64_t& out) { out = row.integer(column); }
void read(const Row& row, std::string_view column, bool& out) { out = row.boolean(column); }
void read(const Row& row, std::string_view column, double& out) { out = row.real(column); }
void read(const Row& row, std::string_view column, Timestamp& out) { out = row.time(column); }

SqlText columnList(const std::vector<SqlName>& columns, SqlView prefix) {
  SqlText list;
  for (const SqlName column : columns) {
    if (!SqlView(list).empty()) list += ", ";
    if (!prefix.empty()) list.add(prefix).add(".");
    list += column;
  }
  return list;
}

SqlText insertStatement(SqlName table, const std::vector<SqlName>& columns) {
  return "INSERT INTO " + SqlText(table) + " (" + columnList(columns, {}) + ") VALUES " +
         placeholders(columns.size());
}

}  // namespace spindle::storage::detail
