#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::feedback {

/// Checks a value against a JSON Schema, as far as annotations use them: type, enum, const, bounds
/// and multiples of numbers, length and pattern of texts, items of lists, members of objects, and
/// anyOf, oneOf, allOf, not. Other keywords are not looked at. Both texts must be valid JSON.
/// @return kInvalidArgument with the first rule that breaks.
Result<void> checkAgainstSchema(std::string_view value, std::string_view schema);

}  // namespace spindle::feedback
