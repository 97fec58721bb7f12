#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/sql_text.h"
#include "base/time.h"

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

/// A number that follows from a row's key, in a column of its own.
struct KeyNumber {
  std::size_t column = 0;                              ///< a kInteger column
  std::int64_t (*of)(std::string_view key) = nullptr;  ///< pure; few keys share one
};

/// One kind of record: calls, feedback, spans. Declared once, at start; the texts are literals.
/// Columns may be added at the end in a later release (old rows then read as null), never removed.
struct Family {
  SqlName name;
  std::vector<Column> columns;
  std::size_t key = 0;    ///< the kText column that identifies a row inside its partition
  std::size_t order = 0;  ///< the kTime column that rows are clustered by
  /// For keys that come in no order: by this number they are found in the file. Without it keys are
  /// expected to grow with time, which tells new ones from stored ones.
  std::optional<KeyNumber> key_number = {};
};

/// The position of a family in the list the store was opened with.
using FamilyId = std::size_t;

/// One value on its way into the store or into a statement. Monostate is null.
using Value = std::variant<std::monostate,
                           std::int64_t,
                           double,
                           bool,
                           Timestamp,
                           std::string,
                           std::vector<std::string>>;

/// The values of one record, in the order of its family's columns.
using Row = std::vector<Value>;

}  // namespace spindle::columnar
