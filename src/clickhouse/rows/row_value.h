#pragma once

#include <string>

#include "columnar/journal/family.h"

namespace spindle::clickhouse {

/// Appends a value in the format RowBinary: String, Int64, Float64, UInt8, DateTime64(6) or
/// Array(String). Null is written as the empty value.
void putValue(std::string& out, columnar::ColumnType type, const columnar::Value& value);

/// Returns the empty text or list, zero, false, or the start of 1970.
columnar::Value emptyValue(columnar::ColumnType type);

/// Returns true for null and for an empty value.
bool isEmpty(const columnar::Value& value);

}  // namespace spindle::clickhouse
