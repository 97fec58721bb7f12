#include "columnar/duckdb/table_sql.h"

#include <array>

#include "base/core/lookup.h"
#include "columnar/duckdb/engine.h"

namespace spindle::columnar {
namespace {

constexpr auto kTypes =
    std::to_array<LookupEntry<ColumnType, SqlView>>({{ColumnType::kText, "VARCHAR"},
                                                     {ColumnType::kInteger, "BIGINT"},
                                                     {ColumnType::kReal, "DOUBLE"},
                                                     {ColumnType::kBoolean, "BOOLEAN"},
                                                     {ColumnType::kTime, "TIMESTAMP"},
                                                     {ColumnType::kTexts, "VARCHAR[]"}});

SqlText definitionsOf(const Family& family) {
  SqlText sql;
  for (const Column& column : family.columns) {
    sql += quotedName(column.name) + " " + typeOf(column.type) + ", ";
  }
  return sql + SqlText(kRowColumn) + " BIGINT, ";
}

SqlText supersededWhere(SqlView condition, const std::vector<GenerationNumber>& generations) {
  SqlText sql;
  for (const GenerationNumber generation : generations) {
    if (!sql.empty()) sql += " UNION ALL ";
    sql += "SELECT " + SqlText(kRowColumn) + " FROM " + supersededTable(generation) + " WHERE " +
           condition;
  }
  return sql;
}

}  // namespace

SqlText quotedName(SqlName name) { return "\"" + SqlText(name) + "\""; }

SqlView typeOf(ColumnType type) { return lookUp(kTypes, type, "VARCHAR"); }

SqlText columnsOf(const Family& family) {
  SqlText list;
  for (const Column& column : family.columns) {
    if (!list.empty()) list += ", ";
    list += quotedName(column.name);
  }
  return list;
}

std::string recentName(const Family& family, GenerationNumber generation) {
  return "recent_" + std::string(family.name.text()) + "_" + std::to_string(generation);
}

std::string supersededName(GenerationNumber generation) {
  return "superseded_" + std::to_string(generation);
}

SqlText recentTable(const Family& family, GenerationNumber generation) {
  return kRecentCatalog + ".\"recent_" + family.name + "_" + SqlText::number(generation) + "\"";
}

SqlText supersededTable(GenerationNumber generation) {
  return kRecentCatalog + ".\"superseded_" + SqlText::number(generation) + "\"";
}

SqlText sharedTable(const Family& family) {
  return kStoredCatalog + ".\"" + family.name + "_shared\"";
}

SqlText ownTable(const Family& family, PartitionNumber partition) {
  return kStoredCatalog + ".\"" + family.name + "_p" + SqlText::number(partition) + "\"";
}

SqlText createRecentTable(const Family& family, GenerationNumber generation) {
  return "CREATE TABLE " + recentTable(family, generation) + " (" + definitionsOf(family) +
         SqlText(kPartitionColumn) + " BIGINT)";
}

SqlText createSupersededTable(GenerationNumber generation) {
  return "CREATE TABLE " + supersededTable(generation) + " (family BIGINT, " +
         SqlText(kPartitionColumn) + " BIGINT, " + SqlText(kRowColumn) + " BIGINT)";
}

SqlText createSharedTable(const Family& family) {
  return "CREATE TABLE IF NOT EXISTS " + sharedTable(family) + " (" + definitionsOf(family) +
         SqlText(kPartitionColumn) + " BIGINT, " + SqlText(kGenerationColumn) + " BIGINT)";
}

SqlText createOwnTable(const Family& family, PartitionNumber partition) {
  return "CREATE TABLE " + ownTable(family, partition) + " (" + definitionsOf(family) +
         SqlText(kGenerationColumn) + " BIGINT)";
}

SqlText selectSuperseded(TableKey table, const std::vector<GenerationNumber>& generations) {
  return supersededWhere("family = " + SqlText::number(table.family) + " AND " +
                             SqlText(kPartitionColumn) + " = " + SqlText::number(table.partition),
                         generations);
}

SqlText selectSuperseded(FamilyId family, const std::vector<GenerationNumber>& generations) {
  return supersededWhere("family = " + SqlText::number(family), generations);
}

SqlText selectNothing(const Family& family) {
  SqlText sql("SELECT ");
  for (const Column& column : family.columns) {
    sql += "NULL::" + SqlText(typeOf(column.type)) + " AS " + quotedName(column.name) + ", ";
  }
  return sql + "NULL::BIGINT AS " + SqlText(kRowColumn) + " WHERE false";
}

}  // namespace spindle::columnar
