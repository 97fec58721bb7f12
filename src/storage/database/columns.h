#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/sql_text.h"
#include "storage/database/value.h"

namespace spindle::storage {
namespace detail {

void read(const Row& row, std::string_view column, std::string& out);
void read(const Row& row, std::string_view column, std::int64_t& out);
void read(const Row& row, std::string_view column, bool& out);
void read(const Row& row, std::string_view column, double& out);
void read(const Row& row, std::string_view column, Timestamp& out);
template <class T>
void read(const Row& row, std::string_view column, std::optional<T>& out) {
  out.reset();
  if (!row.isNull(column)) read(row, column, out.emplace());
}

/// Returns `prefix.a, prefix.b`, or `a, b` without a prefix.
SqlText columnList(const std::vector<SqlName>& columns, SqlView prefix);
/// Returns `INSERT INTO table (a, b) VALUES (?, ?)`.
SqlText insertStatement(SqlName table, const std::vector<SqlName>& columns);

}  // namespace detail

/// The columns of a table and the members of a record that hold their values, named once for
/// SELECT, INSERT and reading rows:
///
///     static const Columns<Job> columns{{"id", &Job::id},
///                                       {"state", &Job::state, jobStateOf, textOf}};
///     session.query("SELECT " + columns.list() + " FROM jobs");
///
/// Immutable after construction and therefore thread-safe.
template <class Record>
class Columns {
 public:
  /// A column with the member of the record that holds its value.
  struct Column {
    template <class Member, class Owner>
    Column(SqlName column, Member Owner::*member)
        : name(column),
          read([column, member](const Row& row, Record& record) {
            detail::read(row, column, record.*member);
          }),
          value([member](const Record& record) { return Value(record.*member); }) {}
    /// For a member of a member.
    template <class Inner, class Owner, class Member>
    Column(SqlName column, Inner Owner::*part, Member Inner::*member)
        : name(column),
          read([column, part, member](const Row& row, Record& record) {
            detail::read(row, column, record.*part.*member);
          }),
          value([part, member](const Record& record) { return Value(record.*part.*member); }) {}
    /// For enumerations, which are stored as text.
    template <class Member, class Owner>
    Column(SqlName column,
           Member Owner::*member,
           std::type_identity_t<Member> (*parse)(std::string_view),
           std::string_view (*print)(std::type_identity_t<Member>))
        : name(column),
          read([column, member, parse](const Row& row, Record& record) {
            record.*member = parse(row.text(std::string_view(column)));
          }),
          value([member, print](const Record& record) { return Value(print(record.*member)); }) {}

    SqlName name;
    std::function<void(const Row& row, Record& record)> read;
    std::function<Value(const Record& record)> value;
  };

  Columns(std::initializer_list<Column> columns) : columns_(columns) {
    for (const Column& column : columns_) names_.push_back(column.name);
  }

  /// Returns the names for a SELECT, after `prefix.` if there is a prefix.
  SqlText list(SqlView prefix = {}) const { return detail::columnList(names_, prefix); }
  /// Returns an INSERT of all columns, and then of `others`, which the record does not have.
  /// valuesOf() returns its parameters.
  SqlText insertInto(SqlName table, const std::vector<SqlName>& others = {}) const {
    std::vector<SqlName> names = names_;
    names.insert(names.end(), others.begin(), others.end());
    return detail::insertStatement(table, names);
  }
  Params valuesOf(const Record& record, const Params& others = {}) const {
    Params params;
    params.reserve(columns_.size() + others.size());
    for (const Column& column : columns_) params.push_back(column.value(record));
    params.insert(params.end(), others.begin(), others.end());
    return params;
  }
  /// Reads the columns of a row. Other members of the record have their defaults.
  Record read(const Row& row) const {
    Record record;
    for (const Column& column : columns_) column.read(row, record);
    return record;
  }
  std::vector<Record> readAll(const Rows& rows) const {
    return collectRows(rows, [this](const Row& row) { return read(row); });
  }

 private:
  std::vector<Column> columns_;
  std::vector<SqlName> names_;
};

}  // namespace spindle::storage
