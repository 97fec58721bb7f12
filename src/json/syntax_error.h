#pragma once

#include <string_view>

#include "json/document.h"

namespace spindle::json {

/// Reads a text that is known to be broken once more, slowly, to say what is wrong and where, in
/// the words of Python's json module, which clients of the original service know.
SyntaxError explainSyntaxError(std::string_view text, std::size_t max_depth);

}  // namespace spindle::json
