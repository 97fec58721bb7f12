#pragma once

#include <string_view>

#include "columnar/family.h"

namespace spindle::columnar {

/// Whether DuckDB takes the bytes for text: UTF-8 without surrogates or detours. NUL is a character
/// like others.
bool isUtf8(std::string_view text);

/// Whether all text in the value is UTF-8.
bool isText(const Value& value);

}  // namespace spindle::columnar
