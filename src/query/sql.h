#pragma once

#include <utility>
#include <vector>

#include "base/sql_text.h"
#include "columnar/family.h"

namespace spindle::query {

/// A piece of DuckDB's SQL with what its `?` stand for, in order. Pieces are put together only by
/// appending, so that texts and parameters stay in step. A value of a caller is a parameter.
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

/// Returns the constant of a truth value.
inline Sql truthSql(bool truth) { return Sql(truth ? SqlView("TRUE") : SqlView("FALSE")); }

}  // namespace spindle::query
