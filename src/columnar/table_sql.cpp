#include "columnar/table_sql.h"

#include "columnar/engine.h"

namespace spindle::columnar {
namespace {

std::string definitionsOf(const Family& family) {
  std::string sql;
  for (const Column& column : family.columns) {
    sql += quotedName(column.name) + " " + std::string(typeOf(column.type)) + ", ";
  }
  return sql + std::string(kRowColumn) + " BIGINT, ";
}

std::string supersededWhere(const std::string& condition,
                            const std::vector<GenerationNumber>& generations) {
  std::string sql;
  for (const GenerationNumber generation : generations) {
    if (!sql.empty()) sql += " UNION ALL ";
    sql += "SELECT " + std::string(kRowColumn) + " FROM " + supersededTable(generation) +
           " WHERE " + condition;
  }
  return sql;
}

}  // namespace

std::string quotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string_view typeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return "VARCHAR";
    case ColumnType::kInteger:
      return "BIGINT";
    case ColumnType::kReal:
      return "DOUBLE";
    case ColumnType::kBoolean:
      return "BOOLEAN";
    case ColumnType::kTime:
      return "TIMESTAMP";
    case ColumnType::kTexts:
      return "VARCHAR[]";
  }
  return "VARCHAR";
}

std::string columnsOf(const Family& family) {
  std::string list;
  for (const Column& column : family.columns) {
    if (!list.empty()) list += ", ";
    list += quotedName(column.name);
  }
  return list;
}

std::string recentName(const Family& family, GenerationNumber generation) {
  return "recent_" + std::string(family.name) + "_" + std::to_string(generation);
}

std::string supersededName(GenerationNumber generation) {
  return "superseded_" + std::to_string(generation);
}

std::string recentTable(const Family& family, GenerationNumber generation) {
  return std::string(kRecentCatalog) + "." + quotedName(recentName(family, generation));
}

std::string supersededTable(GenerationNumber generation) {
  return std::string(kRecentCatalog) + "." + quotedName(supersededName(generation));
}

std::string sharedTable(const Family& family) {
  return std::string(kStoredCatalog) + "." + quotedName(std::string(family.name) + "_shared");
}

std::string ownTable(const Family& family, PartitionNumber partition) {
  return std::string(kStoredCatalog) + "." +
         quotedName(std::string(family.name) + "_p" + std::to_string(partition));
}

std::string createRecentTable(const Family& family, GenerationNumber generation) {
  return "CREATE TABLE " + recentTable(family, generation) + " (" + definitionsOf(family) +
         std::string(kPartitionColumn) + " BIGINT)";
}

std::string createSupersededTable(GenerationNumber generation) {
  return "CREATE TABLE " + supersededTable(generation) + " (family BIGINT, " +
         std::string(kPartitionColumn) + " BIGINT, " + std::string(kRowColumn) + " BIGINT)";
}

std::string createSharedTable(const Family& family) {
  return "CREATE TABLE IF NOT EXISTS " + sharedTable(family) + " (" + definitionsOf(family) +
         std::string(kPartitionColumn) + " BIGINT, " + std::string(kGenerationColumn) + " BIGINT)";
}

std::string createOwnTable(const Family& family, PartitionNumber partition) {
  return "CREATE TABLE " + ownTable(family, partition) + " (" + definitionsOf(family) +
         std::string(kGenerationColumn) + " BIGINT)";
}

std::string selectSuperseded(TableKey table, const std::vector<GenerationNumber>& generations) {
  return supersededWhere("family = " + std::to_string(table.family) + " AND " +
                             std::string(kPartitionColumn) + " = " +
                             std::to_string(table.partition),
                         generations);
}

std::string selectSuperseded(FamilyId family, const std::vector<GenerationNumber>& generations) {
  return supersededWhere("family = " + std::to_string(family), generations);
}

std::string selectNothing(const Family& family) {
  std::string sql = "SELECT ";
  for (const Column& column : family.columns) {
    sql += "NULL::" + std::string(typeOf(column.type)) + " AS " + quotedName(column.name) + ", ";
  }
  return sql + "NULL::BIGINT AS " + std::string(kRowColumn) + " WHERE false";
}

}  // namespace spindle::columnar
