#pragma once

#include <string_view>

namespace spindle::columnar {

/// The name of the DuckDB file in the folder of a store.
inline constexpr std::string_view kStoreFileName = "traces.duckdb";

}  // namespace spindle::columnar
