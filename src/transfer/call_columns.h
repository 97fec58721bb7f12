#pragma once

#include <vector>

#include "columnar/parquet.h"

namespace spindle::transfer {

/// The columns of exported calls in a Parquet file: ids and texts as text, times as times, payloads
/// as JSON text. Their names are the neutral ones, however the server spells its answers.
const std::vector<columnar::ParquetColumn>& callColumns();

}  // namespace spindle::transfer
