#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "query/expression.h"

namespace spindle::evaluation {

/// Returns the JSON of a field, or nothing if the field is missing.
using FieldJson = std::function<std::optional<std::string>(std::string_view field)>;

/// Evaluates a query over values in memory, by the rules of queries in the store (tracing.md §2.6).
/// A field is a text; the type of the other operand decides how the text is parsed. A text that
/// does not parse is unknown, which is neither true nor false. Returns nothing for unknown.
/// @return kInvalidArgument for `$and` or `$or` without operands, kPermissionDenied for a search
/// term of `$contains` that is not a text.
Result<std::optional<bool>> holds(const query::Expression& expression, const FieldJson& field);

/// Returns the text of a JSON value for comparisons: empty for null, numbers in their plain form.
std::string comparedText(std::string_view json);

/// Returns the value as a finite number, if it is one; a boolean is 1 or 0.
std::optional<double> numberOf(std::string_view json);

}  // namespace spindle::evaluation
