#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::evaluation {

// Examples and outputs as texts, and templates that are filled with them. Pure.

/// The value at a dotted path (`answer`, `messages.0.content`) as JSON text; a name that holds dots
/// itself is found too. An empty path is the whole. Empty when there is nothing.
/// `json` must be valid JSON.
std::optional<std::string> valueAt(std::string_view json, std::string_view path);

/// How a value reads in a text: a string as it is, everything else as compact JSON.
std::string plainText(std::string_view json);

/// A text as a JSON string.
std::string jsonText(std::string_view text);

/// The value of a field as JSON text, or empty when there is none of that name.
using Fields = std::function<std::optional<std::string>(std::string_view name)>;

/// Replaces `{name}` by the field's plain text; names are made of letters, digits, `_`, `-` and
/// dots. `{{name}}` stays as `{name}`, all other braces stay as they are.
/// @return kInvalidArgument naming a field that is not there.
Result<std::string> fillTemplate(std::string_view text, const Fields& fields);

/// Does so in every string of a JSON text. Names of members stay.
Result<std::string> fillTemplates(std::string_view json, const Fields& fields);

}  // namespace spindle::evaluation
