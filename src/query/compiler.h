#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/expression.h"
#include "query/field.h"
#include "query/sql.h"

namespace spindle::query {

/// The condition that a query is, to stand behind WHERE.
///
/// A value inside JSON is compared as text; the literal that it is compared with decides whether
/// the text is read as something else, and what cannot be read so is NULL. NULL compares as
/// unknown: the row does not match, and does not match the negation either.
/// @return the error of Fields::resolve(); kInvalidArgument for `$and` or `$or` of nothing, for
/// values that have no common type and for literals that the other side cannot be;
/// kPermissionDenied for an argument of a type that the operator does not take.
Result<Sql> compileCondition(const Query& query, const Fields& fields);

/// What to write behind ORDER BY; empty without keys. A value inside JSON sorts by whether it is
/// there, then as a number, then as text. NULL comes last in both directions.
/// @return the error of Fields::resolve().
Result<Sql> compileSort(const std::vector<SortKey>& keys, const Fields& fields);

/// The keys with `id` behind them unless it is one of them: in the direction of the last key when
/// that is `time`, otherwise descending. No keys stay no keys.
std::vector<SortKey> withTieBreak(std::vector<SortKey> keys,
                                  std::string_view id,
                                  std::string_view time);

}  // namespace spindle::query
