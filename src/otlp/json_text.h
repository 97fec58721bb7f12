#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "otlp/value.h"

namespace spindle::otlp {

// Values as JSON text, both ways. Bytes are written as Base64; what JSON has no number for becomes
// one of the texts "NaN", "Infinity" and "-Infinity".

/// The value of a JSON text, in views of `text` wherever that has no escapes; others are kept in
/// `texts`. Of members with the same name the last counts. Nothing when the text is no JSON.
std::optional<Value> parseJson(std::string_view text, TextArena& texts);

/// As Python's `json.dumps` writes it: `", "` and `": "`, in ASCII.
std::string pythonJson(const Value& value);

/// Compact, with only the escapes that JSON demands.
void appendJson(std::string& out, const Value& value);

}  // namespace spindle::otlp
