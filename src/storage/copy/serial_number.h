#pragma once

#include <cstdint>
#include <optional>

#include "storage/copy/table_list.h"
#include "storage/database/session.h"

namespace spindle::storage {

/// Returns the greatest number that the serial key of a table was given, or nothing if it was never
/// given one.
Result<std::optional<std::int64_t>> lastNumber(Session& session, Engine engine, const Table& table);

/// Makes the next number of the serial key greater than `last`.
Result<void> setLastNumber(Session& session, Engine engine, const Table& table, std::int64_t last);

}  // namespace spindle::storage
