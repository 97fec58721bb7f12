#pragma once

#include <string_view>

#include "json/document.h"

namespace spindle::json {

/// Returns the position and reason of the first syntax error of a text that Indexer rejected.
/// Parses the text a second time, slowly. The messages are those of Python's json module, which
/// clients of the original service know.
SyntaxError explainSyntaxError(std::string_view text, std::size_t max_depth);

}  // namespace spindle::json
