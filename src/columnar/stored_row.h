#pragma once

#include <cstddef>

#include "columnar/answer.h"
#include "columnar/family.h"

namespace spindle::columnar {

/// Reads one result row as a record. Its columns start at index `first`.
Row readRow(const Answer& answer, std::size_t row, std::size_t first, const Family& family);

}  // namespace spindle::columnar
