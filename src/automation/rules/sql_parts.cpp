#include "automation/rules/sql_parts.h"

#include <iterator>

#include "base/core/check.h"
#include "storage/database/placeholders.h"

namespace spindle::automation {

ColumnValues& ColumnValues::add(ColumnValues others) {
  columns_.insert(columns_.end(), std::make_move_iterator(others.columns_.begin()),
                  std::make_move_iterator(others.columns_.end()));
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

Conditions::Conditions(std::initializer_list<Condition> conditions) {
  SPINDLE_ASSERT(conditions.size() > 0 && conditions.begin()->value, "an unconditional list");
  for (const Condition& condition : conditions) {
    if (!condition.value) continue;
    where_.add(values_.empty() ? SqlView("WHERE ") : SqlView("AND "));
    where_.add(condition.comparison).add(" ? ").add(condition.rest).add(" ");
    values_.push_back(*condition.value);
  }
}

storage::Params Conditions::values(const storage::Params& others) const {
  storage::Params all = values_;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace spindle::automation
