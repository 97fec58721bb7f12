#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/little_endian.h"
#include "base/core/time.h"

namespace spindle::clickhouse {

/// Appends a number in LEB128: seven bits per byte, the lowest first.
inline void putVarint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>((number & 0x7FU) | 0x80U);
  out += static_cast<char>(number);
}

// Appends one value of a row in the format RowBinary. The values of a row have the order and the
// types of the columns of the INSERT statement.

inline void putText(std::string& out, std::string_view text) {
  putVarint(out, text.size());
  out += text;
}

/// For Int8 to Int64 and UInt8 to UInt64: the type of the argument is that of the column.
template <class Integer>
void putInteger(std::string& out, Integer number) {
  putLittleEndian(out, number);
}

inline void putReal(std::string& out, double number) {
  putLittleEndian(out, std::bit_cast<std::uint64_t>(number));
}

/// For DateTime64(6).
inline void putTime(std::string& out, Timestamp time) {
  putLittleEndian(out, static_cast<std::uint64_t>(microsOf(time)));
}

inline void putTexts(std::string& out, const std::vector<std::string>& texts) {
  putVarint(out, texts.size());
  for (const std::string& text : texts) putText(out, text);
}

/// Appends the null mark of a Nullable column. The value follows if it is not null.
inline void putNullMark(std::string& out, bool is_null) { out += is_null ? '\1' : '\0'; }

}  // namespace spindle::clickhouse
