#include "automation/rules/sql_parts.h"

#include "storage/database/placeholders.h"

namespace spindle::automation {

ColumnValues& ColumnValues::add(std::initializer_list<Column> columns) {
  columns_.insert(columns_.end(), columns.begin(), columns.end());
  return *this;
}

SqlText ColumnValues::insertInto(SqlName table) const {
  SqlText names;
  for (const Column& column : columns_) {
    names.add(names.empty() ? SqlView() : SqlView(", ")).add(column.name);
  }
  return "INSERT INTO " + SqlText(table) + " (" + names + ") VALUES " +
         storage::placeholders(columns_.size());
}

SqlText ColumnValues::update(SqlName table) const {
  SqlText changes;
  for (const Column& column : columns_) {
    changes.add(changes.empty() ? SqlView() : SqlView(", ")).add(column.name).add(" = ?");
  }
  return "UPDATE " + SqlText(table) + " SET " + changes;
}

storage::Params ColumnValues::values(const storage::Params& others) const {
  storage::Params params;
  params.reserve(columns_.size() + others.size());
  for (const Column& column : columns_) params.push_back(column.value);
  params.insert(params.end(), others.begin(), others.end());
  return params;
}

}  // namespace spindle::automation
