#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/migrate/portable_rows.h"
#include "app/migrate/trace_rows.h"
#include "clickhouse/rows/row_table.h"
#include "columnar/store/store.h"

namespace spindle::app {

/// The rows of an embedded trace store. Positions are row numbers, which never change.
class ColumnarTraceRows final : public TraceRows {
 public:
  /// `families` are those of the store. `tables` describe the portable form of their rows; empty
  /// if it is the stored form.
  ColumnarTraceRows(std::unique_ptr<columnar::Store> store,
                    std::vector<columnar::Family> families,
                    std::vector<clickhouse::RowTable> tables = {});

  Result<std::vector<std::string>> projects() override;
  Result<std::int64_t> count() override;
  Result<void> read(columnar::FamilyId family,
                    std::string_view project,
                    const std::string& after,
                    RowForm form,
                    const Take& take) override;
  RowForm writtenForm() const override { return RowForm::kStored; }
  Result<void> write(columnar::FamilyId family,
                     std::string_view project,
                     std::vector<columnar::Row> rows) override;
  Result<void> clear() override;
  std::size_t expiryColumn(columnar::FamilyId /*family*/) const override { return 0; }
  /// The data folder belongs to the target of the move.
  Result<bool> beginMove(const std::string& /*move*/, bool is_known) override { return is_known; }
  Result<void> endMove() override { return {}; }

 private:
  /// Returns the smallest row number after `number`, or nothing.
  Result<std::optional<std::int64_t>> nextNumber(columnar::FamilyId family,
                                                 std::string_view project,
                                                 std::int64_t number);
  /// Passes the rows of a window of row numbers. @return their number.
  Result<std::int64_t> readWindow(columnar::FamilyId family,
                                  std::string_view project,
                                  std::int64_t first,
                                  std::int64_t last,
                                  RowForm form,
                                  const Take& take);

  const std::unique_ptr<columnar::Store> store_;
  const std::vector<columnar::Family> families_;
  std::optional<PortableRows> portable_;
};

}  // namespace spindle::app
