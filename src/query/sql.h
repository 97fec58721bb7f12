#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columnar/family.h"

namespace spindle::query {

/// A piece of DuckDB's SQL with what its `?` stand for, in order. Pieces are put together only by
/// appending, so that texts and parameters stay in step.
struct Sql {
  Sql() = default;
  explicit Sql(std::string_view piece) : text(piece) {}

  Sql& add(std::string_view piece) {
    text += piece;
    return *this;
  }
  Sql& add(const Sql& piece) {
    text += piece.text;
    params.insert(params.end(), piece.params.begin(), piece.params.end());
    return *this;
  }
  Sql& param(columnar::Value value) {
    text += '?';
    params.push_back(std::move(value));
    return *this;
  }

  std::string text;
  std::vector<columnar::Value> params;
};

/// A text as an SQL string. The text must not hold U+0000.
std::string quotedSql(std::string_view text);

}  // namespace spindle::query
