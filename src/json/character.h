#pragma once

#include "base/core/ascii.h"

namespace spindle::json {

/// Returns true for the white space of JSON (RFC 8259, section 2).
constexpr bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace spindle::json
