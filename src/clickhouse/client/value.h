#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/core/time.h"

namespace spindle::clickhouse {

/// A parameter of a statement. Monostate is null. The same type as the values of the embedded
/// columnar store, so that one compiled query runs on both.
using Value = std::variant<std::monostate,
                           std::int64_t,
                           double,
                           bool,
                           Timestamp,
                           std::string,
                           std::vector<std::string>>;

}  // namespace spindle::clickhouse
