#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::feedback {

/// Validates a value against a JSON Schema, for the keywords that annotations use: type, enum,
/// const, bounds and multiples of numbers, length and pattern of strings, items of arrays, members
/// of objects, and anyOf, oneOf, allOf, not. Ignores other keywords. Both texts must be valid JSON.
/// @return kInvalidArgument with the first violated rule.
Result<void> checkAgainstSchema(std::string_view value, std::string_view schema);

}  // namespace spindle::feedback
