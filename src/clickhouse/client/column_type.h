#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::clickhouse {

/// The types of result columns that the client reads.
enum class TypeKind {
  kText,     ///< String, FixedString, LowCardinality(String)
  kInteger,  ///< Int8 to Int64, UInt8 to UInt64
  kReal,     ///< Float32, Float64
  kBoolean,  ///< Bool
  kTime,     ///< DateTime, DateTime64
  kTexts,    ///< Array(String)
  kNothing,  ///< the type of the constant NULL
};

/// The type of a result column.
struct ColumnType {
  TypeKind kind = TypeKind::kText;
  bool nullable = false;
  int bytes = 0;                ///< of one value; 0: a length comes first
  bool is_signed = false;       ///< of kInteger
  int fraction_digits = 0;      ///< of kTime: digits after the second
  bool nullable_items = false;  ///< of kTexts: each item has a null mark
};

/// Parses the name of a type, such as `Nullable(DateTime64(6, 'UTC'))`. Returns nothing for a type
/// that the client does not read.
std::optional<ColumnType> columnTypeOf(std::string_view name);

}  // namespace spindle::clickhouse
