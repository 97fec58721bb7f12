#pragma once

#include <string_view>

#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Returns true if DuckDB accepts the bytes as text: UTF-8 without surrogates or overlong
/// encodings. NUL is an ordinary character.
bool isUtf8(std::string_view text);

/// Returns true if all text in the value is UTF-8.
bool isText(const Value& value);

}  // namespace spindle::columnar
