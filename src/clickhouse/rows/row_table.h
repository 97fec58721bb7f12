#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "clickhouse/client/client.h"
#include "columnar/journal/family.h"

namespace spindle::clickhouse {

/// How the rows of a table represent that a column has no value.
enum class Absent {
  kNull,         ///< null, which differs from an empty value
  kEmptyIsNull,  ///< null; the table does not distinguish empty values
  kEmpty,        ///< an empty value; the table does not distinguish null
};

/// A column of the sort key of a table.
struct KeyColumn {
  SqlView expression;                                       ///< over rows `r`
  columnar::ColumnType type = columnar::ColumnType::kText;  ///< kText, kInteger or kTime
};

/// One kind of record in ClickHouse as rows of a family of the embedded store, for copies between
/// the two. The area that owns the table describes it.
struct RowTable {
  using Put = Result<void> (*)(const RowTable& table,
                               std::string& out,
                               std::string_view project,
                               const columnar::Row& row,
                               Timestamp now);

  InsertTarget target;
  columnar::Family family;
  /// The values of the columns of the family over rows `r`, in their order.
  SqlText columns;
  std::vector<Absent> absent;  ///< by column of the family
  /// The sort key without the project. Of rows with the same key, that with the greatest `version`
  /// counts.
  std::vector<KeyColumn> key;
  SqlName version;
  /// The condition over these rows `r` that the record was not deleted; empty for none.
  SqlView exists = {};
  /// If a record can have rows with several keys, of which the greatest version counts: the
  /// identity of the record, which is the first column of the family.
  SqlView scattered = {};
  /// The partition of the embedded store to which all rows belong; empty if the table has a column
  /// `project_id`.
  std::string partition = {};
  /// Appends a row in the format RowBinary with the columns of `target`. It replaces all rows that
  /// were written before `now`.
  Put put = nullptr;
  /// Computes columns that follow from others. Null for none.
  void (*derive)(const columnar::Family& family, columnar::Row& row) = nullptr;
  /// The kTime column after which ClickHouse may delete a row at any moment; 0 for none.
  std::size_t expiry = 0;

  /// Returns the absent form of the columns; kNull for a column that `may_be_null` accepts, and
  /// kEmpty for all others.
  template <class MayBeNull>
  void setAbsent(MayBeNull may_be_null) {
    absent.clear();
    for (std::size_t i = 0; i < family.columns.size(); ++i)
      absent.push_back(may_be_null(i) ? Absent::kNull : Absent::kEmpty);
  }

  /// Gives a row of the embedded store the form in which it would be read from the table.
  void normalize(columnar::Row& row) const;

  /// Appends the columns of a row from `first` on, with a null mark for those of Absent::kNull.
  void putColumns(std::string& out, const columnar::Row& row, std::size_t first) const;
};

}  // namespace spindle::clickhouse
