#pragma once

#include <cstddef>

#include "columnar/answer.h"
#include "columnar/family.h"

namespace spindle::columnar {

/// One row of an answer as a record; its columns stand in a row from `first` on.
Row readRow(const Answer& answer, std::size_t row, std::size_t first, const Family& family);

}  // namespace spindle::columnar
