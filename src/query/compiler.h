#pragma once

#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "query/expression.h"
#include "query/field.h"
#include "query/keyset.h"
#include "query/sql.h"

namespace spindle::query {

/// Compiles a query to the condition of a WHERE clause.
///
/// A value inside JSON is compared as text. The type of the literal that it is compared with
/// decides whether the text is converted first; a text that cannot be converted is NULL. A
/// comparison with NULL is unknown: the row matches neither the condition nor its negation.
/// @return the error of Fields::resolve(); kInvalidArgument for an empty `$and` or `$or`, for
/// operands without a common type and for literals that cannot be converted to the type of the
/// other operand; kPermissionDenied for an argument type that the operator does not accept.
Result<Sql> compileCondition(const Query& query, const Fields& fields);

/// Compiles sort keys to the expressions of an ORDER BY clause; empty without keys. A value inside
/// JSON sorts by presence, then as a number, then as text. NULL sorts last in both directions.
/// @return the error of Fields::resolve().
Result<Sql> compileSort(const std::vector<SortKey>& keys, const Fields& fields);

/// Compiles sort keys to the values of a list with positions, in the order of compileSort(). Texts
/// count with their first kSortedCharacters characters, lists as texts.
/// @return the error of Fields::resolve().
Result<std::vector<SortColumn>> compileSortColumns(const std::vector<SortKey>& keys,
                                                   const Fields& fields);

/// Appends `id` as the last sort key, unless the keys contain it or are empty. `id` sorts in the
/// direction of the last key if that key is `time`, otherwise descending.
std::vector<SortKey> withTieBreak(std::vector<SortKey> keys,
                                  std::string_view id,
                                  std::string_view time);

}  // namespace spindle::query
