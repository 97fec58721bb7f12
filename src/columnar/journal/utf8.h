#pragma once

#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Returns true if DuckDB accepts all text in the value: it is UTF-8.
bool isText(const Value& value);

}  // namespace spindle::columnar
