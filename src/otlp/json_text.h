#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "otlp/value.h"

namespace spindle::otlp {

// Conversion of values from and to JSON text. Bytes become Base64. A number that JSON cannot
// represent becomes the text "NaN", "Infinity" or "-Infinity".

/// Parses a JSON text. Strings without escapes are views of `text`; others are stored in `texts`.
/// The last of several members with the same name wins. Returns nothing if the text is not JSON.
std::optional<Value> parseJson(std::string_view text, TextArena& texts);

/// Returns the JSON as Python's `json.dumps` writes it: `", "` and `": "`, in ASCII.
std::string pythonJson(const Value& value);

/// Appends compact JSON with only the escapes that JSON requires.
void appendJson(std::string& out, const Value& value);

}  // namespace spindle::otlp
