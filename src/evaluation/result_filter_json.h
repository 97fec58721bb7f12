#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "query/expression.h"

namespace spindle::evaluation {

/// The JSON of a field, or nothing where there is none.
using FieldJson = std::function<std::optional<std::string>(std::string_view field)>;

/// Whether a query holds of values in memory, by the rules that queries follow in the store
/// (tracing.md §2.6): a field is read as text, the literal beside it decides what the text is read
/// as, and what cannot be read so is unknown, which is not true and not false either.
/// @return kInvalidArgument for `$and` or `$or` of nothing, kPermissionDenied for a needle of
/// `$contains` that is no text. Empty: unknown.
Result<std::optional<bool>> holds(const query::Expression& expression, const FieldJson& field);

/// The text that a JSON value is compared as: empty for null, numbers in their plain form.
std::string comparedText(std::string_view json);

/// The number that a value is, if it is one; a boolean is 1 or 0.
std::optional<double> numberOf(std::string_view json);

}  // namespace spindle::evaluation
