#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::evaluation {

// Conversion of JSON values to texts, and prompt templates. Pure functions.

/// Returns the value at a dotted path (`answer`, `messages.0.content`) as JSON text, or nothing.
/// Also finds names that contain dots. An empty path is the whole value. `json` must be valid JSON.
std::optional<std::string> valueAt(std::string_view json, std::string_view path);

/// Returns a string value without quotes, and any other value as compact JSON.
std::string plainText(std::string_view json);

/// Returns the text as a JSON string.
std::string jsonText(std::string_view text);

/// Returns the value of a field as JSON text, or nothing if there is no such field.
using Fields = std::function<std::optional<std::string>(std::string_view name)>;

/// Replaces `{name}` by the plain text of the field. Names consist of letters, digits, `_`, `-` and
/// dots. `{{name}}` becomes `{name}`; all other braces stay unchanged.
/// @return kInvalidArgument with the name of a missing field.
Result<std::string> fillTemplate(std::string_view text, const Fields& fields);

/// Applies fillTemplate() to every string of a JSON text, but not to names of members.
Result<std::string> fillTemplates(std::string_view json, const Fields& fields);

}  // namespace spindle::evaluation
