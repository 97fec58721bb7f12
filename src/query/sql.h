#pragma once

#include <utility>
#include <vector>

#include "base/core/sql_text.h"
#include "columnar/journal/family.h"

namespace spindle::query {

/// A fragment of DuckDB SQL with the values of its `?` placeholders, in order. Fragments are
/// combined only by appending, so the text and the parameters stay in step. A value from a caller
/// is always a parameter.
struct Sql {
  Sql() = default;
  explicit Sql(SqlView piece) : text(piece) {}

  Sql& add(SqlView piece) {
    text += piece;
    return *this;
  }
  Sql& add(const Sql& piece) {
    text += piece.text;
    params.insert(params.end(), piece.params.begin(), piece.params.end());
    return *this;
  }
  Sql& param(columnar::Value value) {
    text += "?";
    params.push_back(std::move(value));
    return *this;
  }

  SqlText text;
  std::vector<columnar::Value> params;
};

/// Returns the SQL constant `TRUE` or `FALSE`.
inline Sql truthSql(bool truth) { return Sql(truth ? SqlView("TRUE") : SqlView("FALSE")); }

/// Returns `CAST(sql AS type)`.
inline Sql castSql(const Sql& sql, SqlView type) {
  return Sql("CAST(").add(sql).add(" AS ").add(type).add(")");
}

}  // namespace spindle::query
