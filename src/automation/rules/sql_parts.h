#pragma once

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/sql_text.h"
#include "storage/database/value.h"

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

  ColumnValues& add(std::initializer_list<Column> columns);

  /// Returns `INSERT INTO table (a, b) VALUES (?, ?)`.
  SqlText insertInto(SqlName table) const;
  /// Returns `UPDATE table SET a = ?, b = ?`.
  SqlText update(SqlName table) const;
  /// Returns the parameters of the statements, and then `others`.
  storage::Params values(const storage::Params& others = {}) const;

 private:
  std::vector<Column> columns_;
};

/// The WHERE clause of a list, with its parameters:
///
///     Conditions conditions("a.id <", after);
///     conditions.add("a.name =", filter.name);
///     session.query("SELECT id FROM webhooks a " + conditions.where() + "LIMIT ?",
///                   conditions.values({count}));
class Conditions {
 public:
  Conditions(SqlView comparison, storage::Value value) : where_("WHERE ") {
    add(comparison, std::move(value));
  }

  void add(SqlView comparison, storage::Value value) {
    if (!values_.empty()) where_ += "AND ";
    where_.add(comparison).add(" ? ");
    values_.push_back(std::move(value));
  }
  /// Adds a condition unless the member of the filter is unset. Enumerations are stored as text.
  template <class T>
  void add(SqlView comparison, const std::optional<T>& value) {
    if (!value) return;
    if constexpr (std::is_enum_v<T>) {
      add(comparison, storage::Value(textOf(*value)));
    } else {
      add(comparison, storage::Value(*value));
    }
  }

  /// Returns `WHERE a < ? AND b = ? `.
  const SqlText& where() const { return where_; }
  /// Returns the parameters of where(), and then `others`.
  storage::Params values(const storage::Params& others) const {
    storage::Params all = values_;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

 private:
  SqlText where_;
  storage::Params values_;
};

}  // namespace spindle::automation
