#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "columnar/family.h"

namespace spindle::columnar {

// Whole numbers as one to ten bytes, small ones short; and texts behind their length.
void putNumber(std::string& out, std::uint64_t number);
void putText(std::string& out, std::string_view text);

/// Takes values off the front of bytes that may end too early or mean nothing: then ok() is false
/// and stays so, and what was read is worthless.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number();
  std::string_view text();
  std::uint8_t byte();
  /// So many bytes as they are.
  std::string_view raw(std::size_t count);

  bool ok() const { return ok_; }
  bool atEnd() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

/// Whether the row has one value of the right type, or null, for each column, and a key.
bool isRowOf(const Family& family, const Row& row);

/// Returns how many bytes encodeRow() appends.
std::size_t encodedBytes(const Row& row);

/// Appends the row in the form of the journal.
void encodeRow(const Row& row, std::string& out);

/// Reads a row back, with nulls for columns that the family has gained since. Empty when the bytes
/// are not a row of so many columns or fewer.
std::optional<Row> decodeRow(std::string_view bytes, std::size_t columns);

}  // namespace spindle::columnar
