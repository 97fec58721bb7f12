#pragma once

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "storage/database/columns.h"
#include "storage/database/session.h"

namespace spindle::automation {

/// Columns of a table with their new values, named once for INSERT and UPDATE:
///
///     ColumnValues row{{"name", team.name}, {"version", 1}};
///     session.execute(row.insertInto("teams"), row.values());
class ColumnValues {
 public:
  struct Column {
    SqlName name;
    storage::Value value;
  };

  ColumnValues(std::initializer_list<Column> columns) : columns_(columns) {}
  explicit ColumnValues(std::vector<Column> columns) : columns_(std::move(columns)) {}

  ColumnValues& add(ColumnValues others);

  /// Returns `INSERT INTO table (a, b) VALUES (?, ?)`.
  SqlText insertInto(SqlName table) const;
  /// Returns `UPDATE table SET a = ?, b = ?`.
  SqlText update(SqlName table) const;
  /// Returns the parameters of the statements, and then `others`.
  storage::Params values(const storage::Params& others = {}) const;

 private:
  std::vector<Column> columns_;
};

/// Columns of a record that are written together with other columns:
///
///     ColumnValues row = settingColumns().of(settings).add({{"updated_at", now}});
///     session.execute(row.update("webhooks") + " WHERE id = ?", row.values({id}));
template <class Record>
class WritableColumns : public storage::Columns<Record> {
 public:
  using Column = typename storage::Columns<Record>::Column;

  WritableColumns(std::initializer_list<Column> columns)
      : storage::Columns<Record>(columns), writable_(columns) {}

  /// Returns the columns with the values of a record.
  ColumnValues of(const Record& record) const {
    std::vector<ColumnValues::Column> values;
    values.reserve(writable_.size());
    for (const Column& column : writable_) values.push_back({column.name, column.value(record)});
    return ColumnValues(std::move(values));
  }

 private:
  std::vector<Column> writable_;
};

/// The WHERE clause of a list, with its parameters:
///
///     const Conditions conditions{{"a.id <", after}, {"a.name =", filter.name}};
///     session.query("SELECT id FROM webhooks a " + conditions.where() + "LIMIT ?",
///                   conditions.values({count}));
class Conditions {
 public:
  struct Condition {
    Condition(SqlView text, storage::Value operand) : comparison(text), value(std::move(operand)) {}
    /// A member of a filter. An unset member matches everything; enumerations are stored as text.
    /// `following` is the SQL after the member: `{"", id, "IN (a.x, b.y)"}`.
    template <class T>
    Condition(SqlView text, const std::optional<T>& member, SqlView following = {})
        : comparison(text), rest(following) {
      if (!member) return;
      if constexpr (std::is_enum_v<T>) {
        value = storage::Value(textOf(*member));
      } else {
        value = storage::Value(*member);
      }
    }

    SqlView comparison;
    SqlView rest = {};
    std::optional<storage::Value> value;  ///< unset: no condition
  };

  /// The first condition must have a value: a list is never that of all teams.
  Conditions(std::initializer_list<Condition> conditions);

  /// Returns `WHERE a < ? AND b = ? `.
  const SqlText& where() const { return where_; }
  /// Returns the parameters of where(), and then `others`.
  storage::Params values(const storage::Params& others) const;

 private:
  SqlText where_;
  storage::Params values_;
};

/// Returns the first `count` rows of a list. `order` ends with `LIMIT ?`.
template <class Record>
Result<std::vector<Record>> firstRows(storage::Session& session,
                                      const SqlText& select,
                                      const Conditions& conditions,
                                      SqlView order,
                                      int count,
                                      Record (*read)(const storage::Row&)) {
  return collectRows(session.query(select + conditions.where() + order, conditions.values({count})),
                     read);
}

}  // namespace spindle::automation
