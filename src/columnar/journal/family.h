#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "columnar/journal/key_order.h"

namespace spindle::columnar {

enum class ColumnType {
  kText,
  kInteger,  ///< 64 bits, signed
  kReal,
  kBoolean,
  kTime,   ///< microseconds, UTC
  kTexts,  ///< a list of texts
};

struct Column {
  SqlName name;
  ColumnType type = ColumnType::kText;
};

/// A number derived from the key of a row, stored in its own column.
struct KeyNumber {
  std::size_t column = 0;                              ///< a kInteger column
  std::int64_t (*of)(std::string_view key) = nullptr;  ///< pure function; few keys share a number
};

/// One kind of record, such as calls, feedback or spans. Declared once at start; all names are
/// literals. A later release may append columns (old rows read as null) but never remove them.
struct Family {
  SqlName name;
  std::vector<Column> columns;
  std::size_t key = 0;    ///< the kText column that identifies a row inside its partition
  std::size_t order = 0;  ///< the kTime column that rows are clustered by
  /// Finds rows in the file by this number, for families whose keys are not ordered.
  std::optional<KeyNumber> key_number = {};
  /// For families whose keys are partly ordered. Without it and without `key_number`, all keys grow
  /// with time.
  std::optional<KeyOrder> key_order = {};

  /// Returns true if the key grows with time: it is new if it is greater than all stored ordered
  /// keys of its partition. Other keys are looked up in a filter of the stored keys.
  bool isOrderedKey(std::string_view value) const {
    return !key_number && (!key_order || key_order->ordered(value));
  }
};

/// Index of a family in the list with which the store was opened.
using FamilyId = std::size_t;

/// One value of a row or a statement parameter. Monostate is null.
using Value = std::variant<std::monostate,
                           std::int64_t,
                           double,
                           bool,
                           Timestamp,
                           std::string,
                           std::vector<std::string>>;

/// The values of one record, in the column order of its family.
using Row = std::vector<Value>;

/// Returns the value of the column that rows are clustered by, or nothing if it is null.
inline std::optional<Timestamp> orderOf(const Family& family, const Row& row) {
  const Timestamp* time = std::get_if<Timestamp>(&row[family.order]);
  return time == nullptr ? std::nullopt : std::optional(*time);
}

}  // namespace spindle::columnar
