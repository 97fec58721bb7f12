#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "columnar/journal/family.h"

namespace spindle::columnar {

// Variable-length integers of one to ten bytes, and texts with a length prefix.
void putNumber(std::string& out, std::uint64_t number);
void putText(std::string& out, std::string_view text);

/// Decodes values from untrusted bytes. After truncated or invalid input, ok() stays false and all
/// values read are meaningless.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number();
  std::string_view text();
  std::uint8_t byte();
  /// Returns the next `count` bytes unchanged.
  std::string_view raw(std::size_t count);

  bool ok() const { return ok_; }
  bool atEnd() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

/// Returns true if the row has a key and, for each column, null or a value of the right type.
bool isRowOf(const Family& family, const Row& row);

/// Returns the number of bytes that encodeRow() appends.
std::size_t encodedBytes(const Row& row);

/// Appends the row in the journal encoding.
void encodeRow(const Row& row, std::string& out);

/// Decodes a row; columns that the family has gained since are null. Returns nothing if the bytes
/// are not a row of at most `columns` columns.
std::optional<Row> decodeRow(std::string_view bytes, std::size_t columns);

}  // namespace spindle::columnar
